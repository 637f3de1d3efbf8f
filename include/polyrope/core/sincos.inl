// Sine and cosine of position x frequency: one sequence of operations for every instruction set and the GPU. Included
// once for each, inside a namespace that defines
//   real, integer          float32 and int32 of that machine (a scalar or a vector)
//   wide                   float64, half as many lanes (a scalar level has one)
//   fma, fused_subtract (a b - c), multiply, add, subtract, round_even, splat, opaque     each one IEEE operation
//   to_integer(real), quadrant(q, sine, cosine, s, c)                        the choice and the signs by quarter turn
// Every step is an explicit fused multiply-add or a single operation, so no compiler can fuse or reorder anything.
// Frequencies come in turns per unit position as a pair of floats, hi + lo.

// Polynomials on |x| <= 1/8 turn: sin(2 pi x) / x and cos(2 pi x), largest error 2e-8.
POLYROPE_LEVEL_FUNCTION void sincos_of_turn(real remainder, real small, real& s, real& c) {
    const real quarter = round_even(multiply(add(remainder, small), splat(4.0f)));
    // The small part is added last: one rounding, at no more than 1/8 turn.
    const real x = add(fma(quarter, splat(-0.25f), remainder), small);
    const real z = multiply(x, x);
    real sine = fma(splat(42.05869394f), z, splat(-76.70585976f));
    real cosine = fma(splat(60.24464137f), z, splat(-85.45681720f));
    sine = fma(sine, z, splat(81.60524928f));
    cosine = fma(cosine, z, splat(64.93939402f));
    sine = fma(sine, z, splat(-41.34170224f));
    cosine = fma(cosine, z, splat(-19.73920880f));
    sine = fma(sine, z, splat(6.283185307f));
    cosine = fma(cosine, z, splat(1.0f));
    quadrant(to_integer(quarter), multiply(sine, x), cosine, s, c);
}

// Positions that one float holds: |position| <= 2^24. Largest error 1.1e-7 to 2^20, 1.3e-7 to 2^24.
POLYROPE_LEVEL_FUNCTION void sincos_turns(real position, real hi, real lo, real& s, real& c) {
    const real turns = opaque(multiply(position, hi));
    const real small = fma(position, lo, fused_subtract(position, hi, turns));
    const real remainder = opaque(subtract(turns, round_even(turns)));  // exact
    sincos_of_turn(remainder, small, s, c);
}

// Any position: many * 65536 + low + rest, where `wrapped` is the frequency of 65536 positions reduced to the nearest
// turn. With many = rest = 0 the bits are those of sincos_turns. Largest error 2e-7 for |position| <= 2^32.
POLYROPE_LEVEL_FUNCTION void sincos_turns_split(real many, real low, real rest, real hi, real lo, real wrapped_hi,
                                                real wrapped_lo, real& s, real& c) {
    const real turns = opaque(multiply(low, hi));
    real small = fma(rest, hi, fma(low, lo, fused_subtract(low, hi, turns)));
    const real remainder = opaque(subtract(turns, round_even(turns)));
    const real high_turns = opaque(multiply(many, wrapped_hi));
    const real high_small = fma(many, wrapped_lo, fused_subtract(many, wrapped_hi, high_turns));
    const real high_remainder = opaque(subtract(high_turns, round_even(high_turns)));
    // remainder + high_remainder as an exact sum of two floats.
    const real sum = opaque(add(remainder, high_remainder));
    const real part = opaque(subtract(sum, remainder));
    const real lost =
        opaque(add(opaque(subtract(remainder, opaque(subtract(sum, part)))), opaque(subtract(high_remainder, part))));
    small = opaque(add(small, opaque(add(high_small, lost))));
    sincos_of_turn(sum, small, s, c);
}

// Sine and cosine polynomials of a float64 angle in radians, |angle| <= 2^51, and its count of quarter
// turns. The float32 nearest to sine and cosine differs from the correctly rounded one by at most one unit,
// once in about 1e8 angles.
POLYROPE_LEVEL_FUNCTION void sincos_polynomials(wide angle, wide& sine, wide& cosine, wide& quarter) {
    quarter = round_even(multiply(angle, splat_wide(0.63661977236758134308)));
    wide x = fma(quarter, splat_wide(-1.57079632679489655800), angle);  // exact
    x = fma(quarter, splat_wide(-6.12323399573676603587e-17), x);
    const wide z = multiply(x, x);
    wide p = fma(z, splat_wide(-1.0 / 1307674368000.0), splat_wide(1.0 / 6227020800.0));
    wide q = fma(z, splat_wide(1.0 / 20922789888000.0), splat_wide(-1.0 / 87178291200.0));
    p = fma(p, z, splat_wide(-1.0 / 39916800.0));
    q = fma(q, z, splat_wide(1.0 / 479001600.0));
    p = fma(p, z, splat_wide(1.0 / 362880.0));
    q = fma(q, z, splat_wide(-1.0 / 3628800.0));
    p = fma(p, z, splat_wide(-1.0 / 5040.0));
    q = fma(q, z, splat_wide(1.0 / 40320.0));
    p = fma(p, z, splat_wide(1.0 / 120.0));
    q = fma(q, z, splat_wide(-1.0 / 720.0));
    p = fma(p, z, splat_wide(-1.0 / 6.0));
    q = fma(q, z, splat_wide(1.0 / 24.0));
    q = fma(q, z, splat_wide(-0.5));
    sine = fma(multiply(opaque(p), z), x, x);
    cosine = fma(q, z, splat_wide(1.0));
}
