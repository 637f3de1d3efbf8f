// wants: no matching function for call to
#include "polyrope/core/segment.hpp"

using namespace polyrope;

#ifdef SOUND
const segment s = video(patch_grid{4, 8, 8}, seconds_per_grid{1, 2});
#else
const segment s = video(patch_grid{4, 8, 8});
#endif
