// wants: make_plan needs a layout policy
#include "polyrope/layout/mrope.hpp"

using namespace polyrope;

#ifdef SOUND
const layout::mrope policy{2};
#else
const int policy = 2;
#endif

const auto plan = make_plan(policy, nullptr, 0);
