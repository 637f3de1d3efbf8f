#pragma once
// The ring of Circle-RoPE: a grid's points bent onto a circle in the plane orthogonal to the text diagonal, so that
// every patch is equally far from every text token. Column c and row r of a grid [rows, columns], centred:
//
//     x = c - (columns - 1) / 2                 angle = alpha * spatial + (1 - alpha) * index
//     y = r - (rows - 1) / 2                        spatial  atan2(y, x), stretched over the grid to one whole turn
//     X = radius * cos(angle)                       index    raster index / (rows * columns), one whole turn
//     Y = radius * sin(angle)
//     t = 2 Y / sqrt 6        h = X / sqrt 2 - Y / sqrt 6        w = -X / sqrt 2 - Y / sqrt 6
//
// Names in the reference code: centred is move_to_origin, plane_share is dff_rate, ring_method::plane is no_circle,
// positive is move_to_positive. Offsets are whole multiples of 2^-32, and those of a cell add up to exactly zero: text
// behind a ring keeps its fraction without rounding, and there is one set of bits on all machines.

#include "polyrope/layout/detail/angle.hpp"
#include "polyrope/layout/detail/bounds.hpp"

POLYROPE_BEGIN
namespace layout {

/// Radius in positions: a number, or a multiple of the grid's largest centred index (its frames count as well).
struct ring_radius {
    double factor = 10.0;
    bool of_extent = false;
};
[[nodiscard]] constexpr ring_radius fixed_radius(double positions) noexcept { return {positions, false}; }
/// The reference's `auto` and `auto-k`.
[[nodiscard]] constexpr ring_radius extent_radius(double k = 1.0) noexcept { return {k, true}; }

enum class ring_method : std::uint8_t {
    circle,  ///< points on a circle
    plane,   ///< the flat grid itself, in the same plane; alpha and radius are not read
};

/// A shift along the diagonal that makes the least coordinate of a ring `offset`.
struct positive_shift {
    bool on = false;
    double offset = 0.0;
};
[[nodiscard]] constexpr positive_shift shifted_to(double offset) noexcept { return {true, offset}; }

/// The defaults are those of the released configuration. The reference's code has others, taken literally: radius -1,
/// alpha -1, not centred.
struct ring {
    ring_radius radius{};
    double alpha = 0.5;  ///< share of the spatial angle
    bool centred = true;
    ring_method method = ring_method::circle;
    double plane_share = 0.0;  ///< share of the flat grid in the mix of both
    positive_shift positive{};

    [[nodiscard]] bool is_finite() const noexcept {
        // Turns of an angle are counted in 64 bits.
        return detail::is_in_range(radius.factor) && alpha >= -1e6 && alpha <= 1e6 && detail::is_in_range(alpha) &&
               detail::is_in_range(plane_share) && detail::is_in_range(positive.offset);
    }

    /// Radius for a grid whose last frame lies `last_time` positions behind the first.
    [[nodiscard]] double radius_of(const token_grid& grid, double last_time) const noexcept {
        if (!radius.of_extent) return radius.factor;
        const index_t side = (grid.rows > grid.columns ? grid.rows : grid.columns) - 1;
        double extent = static_cast<double>(side);
        const double time = centred && last_time < 0.0 ? -last_time : last_time;
        if (time > extent) extent = time;
        return detail::opaque(radius.factor * (centred ? extent * 0.5 : extent));
    }

    struct range {
        double low = 0.0, high = 0.0;
    };

    /// Offsets of all cells of a frame into `out` [rows * columns, t h w], without the positive shift, and their range.
    [[nodiscard]] range offsets(const token_grid& grid, double circle_radius, double* out) const noexcept {
        const index_t cells = grid.rows * grid.columns, middle_x = centred ? grid.columns - 1 : 0,
                      middle_y = centred ? grid.rows - 1 : 0;
        double least = 4.0, most = -4.0;
        for (index_t k = 0; k < cells; ++k) {  // doubled indices: whole numbers have no -0
            const double angle = detail::angle_of(2 * (k / grid.columns) - middle_y, 2 * (k % grid.columns) - middle_x);
            least = angle < least ? angle : least;
            most = angle > most ? angle : most;
            out[3 * k] = angle;
        }
        const double width = most > least ? detail::opaque(most - least) : 1.0;
        range found;
        for (index_t k = 0; k < cells; ++k, out += 3) {
            const double spatial = detail::opaque(detail::opaque(out[0] - least) / detail::opaque(width));
            const double index = detail::opaque(static_cast<double>(k) / detail::opaque(static_cast<double>(cells)));
            const double x = 0.5 * static_cast<double>(2 * (k % grid.columns) - middle_x);
            const double y = 0.5 * static_cast<double>(2 * (k / grid.columns) - middle_y);
            double across = x, along = y;
            if (method == ring_method::circle) {
                double sine = 0.0, cosine = 0.0;
                detail::sincos_of_turns(detail::fma(alpha, detail::opaque(spatial - index), index), sine, cosine);
                across = mixed(detail::opaque(circle_radius * cosine), x);
                along = mixed(detail::opaque(circle_radius * sine), y);
            }
            const double down = detail::opaque(along * -one_by_root_6);
            out[0] = rounded(detail::opaque(along * two_by_root_6));
            out[1] = rounded(detail::fma(across, one_by_root_2, down));
            out[2] = detail::opaque(-out[0] - out[1]);
            for (int a = 0; a < 3; ++a) {
                found.low = out[a] < found.low ? out[a] : found.low;
                found.high = out[a] > found.high ? out[a] : found.high;
            }
        }
        return found;
    }

    /// How far the centre of a ring lies behind its place on the text diagonal.
    [[nodiscard]] double shift(const range& offsets) const noexcept {
        return positive.on ? rounded(detail::opaque(positive.offset - offsets.low)) : 0.0;
    }

private:
    static constexpr double one_by_root_2 = 0.7071067811865476, one_by_root_6 = 0.40824829046386302,
                            two_by_root_6 = 0.81649658092772603;

    [[nodiscard]] double mixed(double on_circle, double in_plane) const noexcept {
        if (plane_share == 0.0) return on_circle;
        return detail::fma(plane_share, detail::opaque(in_plane - on_circle), on_circle);
    }
    [[nodiscard]] static double rounded(double offset) noexcept {
        return detail::opaque(detail::round_even(detail::opaque(offset * 4294967296.0)) * (1.0 / 4294967296.0));
    }
};

}  // namespace layout
POLYROPE_END
