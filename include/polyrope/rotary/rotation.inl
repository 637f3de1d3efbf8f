// The one rotation. Included once for each instruction set and for the GPU, inside a namespace that defines real and
// its operations (core/sincos.inl lists them).

// (x, y) turned by (c, s): x' = x c - y s, y' = y c + x s, each with one fused step. The product with the sine is
// rounded first and is an operand of the fused step, so contraction has nothing to fuse.
POLYROPE_LEVEL_FUNCTION void turn_once(real& x, real& y, real c, real s) {
    const real first = fused_subtract(x, c, multiply(y, s));
    y = fma(y, c, multiply(x, s));
    x = first;
}

// The same with every product rounded before the sum, as frameworks without fused operations compute it. `round` rounds
// a product to the precision that the framework's tensors have.
template <class Round>
POLYROPE_LEVEL_FUNCTION void turn_unfused(real& x, real& y, real c, real s, Round round) {
    const real xc = opaque(round(multiply(x, c))), ys = opaque(round(multiply(y, s)));
    const real yc = opaque(round(multiply(y, c))), xs = opaque(round(multiply(x, s)));
    x = subtract(xc, ys);
    y = add(yc, xs);
}
