#include "kernels.hpp"

POLYROPE_BEGIN
namespace cpu::detail {
inline namespace POLYROPE_AMBIENT {

namespace base {
template void turn_job<float>(const job&);
template void turn_job<bf16>(const job&);
template void turn_job<f16>(const job&);
}  // namespace base
#if POLYROPE_X86_LEVELS
namespace avx2 {
template void turn_job<float>(const job&);
template void turn_job<bf16>(const job&);
template void turn_job<f16>(const job&);
}  // namespace avx2
namespace avx512 {
template void turn_job<float>(const job&);
template void turn_job<bf16>(const job&);
template void turn_job<f16>(const job&);
}  // namespace avx512
#endif
#if POLYROPE_NEON_LEVEL
namespace neon {
template void turn_job<float>(const job&);
template void turn_job<bf16>(const job&);
template void turn_job<f16>(const job&);
}  // namespace neon
#endif

}  // namespace POLYROPE_AMBIENT
}  // namespace cpu::detail
POLYROPE_END
