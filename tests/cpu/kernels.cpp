#include "kernels.hpp"

POLYROPE_BEGIN
namespace cpu::detail {
inline namespace POLYROPE_AMBIENT {

namespace base {
template const heads_kernel& heads_of<float>(pairing);
template const heads_kernel& heads_of<bf16>(pairing);
template const heads_kernel& heads_of<f16>(pairing);
template void make_row<row_source::coordinates>(const job&, index_t, index_t, float*, float*);
template void make_row<row_source::differences>(const job&, index_t, index_t, float*, float*);
template void make_row<row_source::table>(const job&, index_t, index_t, float*, float*);
}  // namespace base
#if POLYROPE_X86_LEVELS
namespace avx2 {
template const heads_kernel& heads_of<float>(pairing);
template const heads_kernel& heads_of<bf16>(pairing);
template const heads_kernel& heads_of<f16>(pairing);
template void make_row<row_source::coordinates>(const job&, index_t, index_t, float*, float*);
template void make_row<row_source::differences>(const job&, index_t, index_t, float*, float*);
template void make_row<row_source::table>(const job&, index_t, index_t, float*, float*);
}  // namespace avx2
namespace avx512 {
template const heads_kernel& heads_of<float>(pairing);
template const heads_kernel& heads_of<bf16>(pairing);
template const heads_kernel& heads_of<f16>(pairing);
template void make_row<row_source::coordinates>(const job&, index_t, index_t, float*, float*);
template void make_row<row_source::differences>(const job&, index_t, index_t, float*, float*);
template void make_row<row_source::table>(const job&, index_t, index_t, float*, float*);
}  // namespace avx512
#endif
#if POLYROPE_NEON_LEVEL
namespace neon {
template const heads_kernel& heads_of<float>(pairing);
template const heads_kernel& heads_of<bf16>(pairing);
template const heads_kernel& heads_of<f16>(pairing);
template void make_row<row_source::coordinates>(const job&, index_t, index_t, float*, float*);
template void make_row<row_source::differences>(const job&, index_t, index_t, float*, float*);
template void make_row<row_source::table>(const job&, index_t, index_t, float*, float*);
}  // namespace neon
#endif

}  // namespace POLYROPE_AMBIENT
}  // namespace cpu::detail
POLYROPE_END
