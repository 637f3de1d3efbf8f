#pragma once
// The front door: from a prompt's segments to turned queries and keys on the CPU. Needs nothing but a C++17 compiler.
//
//     layout/      where every token sits           frequency/   which axis turns a pair, and how fast
//     rotary/      the two together                 cpu/         the kernel
//     preset/      models by name

#include "polyrope/core/axis.hpp"
#include "polyrope/core/index.hpp"
#include "polyrope/core/pairing.hpp"
#include "polyrope/core/partition.hpp"
#include "polyrope/core/scalar.hpp"
#include "polyrope/core/segment.hpp"
#include "polyrope/core/views.hpp"
#include "polyrope/cpu/rerotate.hpp"
#include "polyrope/cpu/rotate.hpp"
#include "polyrope/cpu/table.hpp"
#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/even_interleaved.hpp"
#include "polyrope/frequency/explicit_frequencies.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/per_axis.hpp"
#include "polyrope/frequency/per_channel.hpp"
#include "polyrope/frequency/per_head.hpp"
#include "polyrope/frequency/per_pair.hpp"
#include "polyrope/frequency/periodic.hpp"
#include "polyrope/frequency/single_axis.hpp"
#include "polyrope/frequency/spatial_first.hpp"
#include "polyrope/frequency/spatial_shifted.hpp"
#include "polyrope/layout/padding.hpp"
#include "polyrope/layout/seconds.hpp"
#include "polyrope/preset/qwen2_5_vl.hpp"
#include "polyrope/preset/qwen2_vl.hpp"
#include "polyrope/preset/qwen3_vl.hpp"
#include "polyrope/version.hpp"
