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
extern template const heads_kernel& heads_of<float>(pairing);
extern template const heads_kernel& heads_of<bf16>(pairing);
extern template const heads_kernel& heads_of<f16>(pairing);
extern template void make_row<row_source::coordinates>(const job&, index_t, index_t, float*, float*);
extern template void make_row<row_source::differences>(const job&, index_t, index_t, float*, float*);
extern template void make_row<row_source::table>(const job&, index_t, index_t, float*, float*);
}  // namespace base
#if POLYROPE_X86_LEVELS
namespace avx2 {
extern template const heads_kernel& heads_of<float>(pairing);
extern template const heads_kernel& heads_of<bf16>(pairing);
extern template const heads_kernel& heads_of<f16>(pairing);
extern template void make_row<row_source::coordinates>(const job&, index_t, index_t, float*, float*);
extern template void make_row<row_source::differences>(const job&, index_t, index_t, float*, float*);
extern template void make_row<row_source::table>(const job&, index_t, index_t, float*, float*);
}  // namespace avx2
namespace avx512 {
extern template const heads_kernel& heads_of<float>(pairing);
extern template const heads_kernel& heads_of<bf16>(pairing);
extern template const heads_kernel& heads_of<f16>(pairing);
extern template void make_row<row_source::coordinates>(const job&, index_t, index_t, float*, float*);
extern template void make_row<row_source::differences>(const job&, index_t, index_t, float*, float*);
extern template void make_row<row_source::table>(const job&, index_t, index_t, float*, float*);
}  // namespace avx512
#endif
#if POLYROPE_NEON_LEVEL
namespace neon {
extern template const heads_kernel& heads_of<float>(pairing);
extern template const heads_kernel& heads_of<bf16>(pairing);
extern template const heads_kernel& heads_of<f16>(pairing);
extern template void make_row<row_source::coordinates>(const job&, index_t, index_t, float*, float*);
extern template void make_row<row_source::differences>(const job&, index_t, index_t, float*, float*);
extern template void make_row<row_source::table>(const job&, index_t, index_t, float*, float*);
}  // namespace neon
#endif

}  // namespace POLYROPE_AMBIENT
}  // namespace cpu::detail
POLYROPE_END
