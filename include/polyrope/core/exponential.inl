// Powers of two, reciprocals and hyperbolic tangents: one sequence of operations for every instruction set and the GPU,
// included once for each like core/sincos.inl, inside a namespace that also defines
//   times_power_of_two(a, n)      a 2^n by its exponent, for an integer n; the result is a normal number
//   first_reciprocal(a)           1 / a within 13 %, from the bits of a positive a
//   magnitude(a), with_sign_of(a, b), smaller(a, b)
// No division: compilers replace one by an estimate under -ffast-math.

// (2^f - 1) / f for |f| <= 1/2.
POLYROPE_LEVEL_FUNCTION real power_slope(real f) {
    real p = fma(splat(1.5385263e-4f), f, splat(1.3387684e-3f));
    p = fma(p, f, splat(9.6183047e-3f));
    p = fma(p, f, splat(5.5503670e-2f));
    p = fma(p, f, splat(2.4022649e-1f));
    return fma(p, f, splat(6.9314718e-1f));
}

// 2^(n + f) for whole n and |f| <= 1/2, where that is a normal number. Largest error 8e-8 of it.
POLYROPE_LEVEL_FUNCTION real power_of_parts(real n, real f) {
    return times_power_of_two(fma(power_slope(f), f, splat(1.0f)), to_integer(n));
}

// 2^x for x in [-126, 128).
POLYROPE_LEVEL_FUNCTION real power_of_two(real x) {
    const real n = round_even(x);
    return power_of_parts(n, subtract(x, n));  // exact
}

// 1 / a for a in [2^-120, 2^120]. Largest error 8e-8 of it.
POLYROPE_LEVEL_FUNCTION real reciprocal(real a) {
    const real minus = negate(a);
    real y = first_reciprocal(a);
    real left = fma(minus, y, splat(1.0f));
    y = fma(y, fma(left, left, left), y);
    left = fma(minus, y, splat(1.0f));
    return fma(y, fma(left, left, left), y);
}

// tanh x = (e^2x - 1) / (e^2x + 1), whose difference is formed without loss where x is small.
POLYROPE_LEVEL_FUNCTION real tanh_of(real x) {
    const real turns = multiply(smaller(magnitude(x), splat(10.0f)), splat(2.885390082f));  // 2 / log 2; tanh 10 is 1
    const real n = round_even(turns), f = subtract(turns, n);
    const real power = times_power_of_two(splat(1.0f), to_integer(n));
    const real above = fma(multiply(power_slope(f), f), power, subtract(power, splat(1.0f)));
    const real sum = add(above, splat(2.0f)), inverse = reciprocal(sum), quotient = multiply(above, inverse);
    return with_sign_of(fma(fma(negate(quotient), sum, above), inverse, quotient), x);
}
