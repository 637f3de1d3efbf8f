#pragma once
// The second door: coordinates chosen per kind of attention. Needs Eigen for the reference; mask/ and cpu/banks.hpp
// alone need nothing.
//
//     cpu/banks    q and k turned to both positions
//     mask/        which of a token's two positions a pair uses, and the calls that follow from it
//     attention/   the definition, a kernel that streams over keys, and what merges partial answers

#include "polyrope/attention/merge_states.hpp"
#include "polyrope/attention/operands.hpp"
#include "polyrope/attention/reference.hpp"
#include "polyrope/attention/streaming.hpp"
#include "polyrope/cpu/banks.hpp"
#include "polyrope/mask/attention_calls.hpp"
#include "polyrope/mask/cache_requirement.hpp"
#include "polyrope/mask/coordinate_selection.hpp"
