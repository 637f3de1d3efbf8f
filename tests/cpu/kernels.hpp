#pragma once
// The kernels of every level and element type are compiled once for this room, in kernels.cpp; the other
// files refer to them.

#include "polyrope/cpu/rerotate.hpp"
#include "polyrope/cpu/rotate.hpp"
#include "polyrope/cpu/table.hpp"

POLYROPE_BEGIN
namespace cpu::detail {
inline namespace POLYROPE_AMBIENT {

namespace base {
extern template void turn_job<float>(const job&);
extern template void turn_job<bf16>(const job&);
extern template void turn_job<f16>(const job&);
}  // namespace base
#if POLYROPE_X86_LEVELS
namespace avx2 {
extern template void turn_job<float>(const job&);
extern template void turn_job<bf16>(const job&);
extern template void turn_job<f16>(const job&);
}  // namespace avx2
namespace avx512 {
extern template void turn_job<float>(const job&);
extern template void turn_job<bf16>(const job&);
extern template void turn_job<f16>(const job&);
}  // namespace avx512
#endif
#if POLYROPE_NEON_LEVEL
namespace neon {
extern template void turn_job<float>(const job&);
extern template void turn_job<bf16>(const job&);
extern template void turn_job<f16>(const job&);
}  // namespace neon
#endif

}  // namespace POLYROPE_AMBIENT
}  // namespace cpu::detail
POLYROPE_END
