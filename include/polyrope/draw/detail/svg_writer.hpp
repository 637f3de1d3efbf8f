#pragma once
// What the SVG pictures share: colours, numbers without a locale, and the few elements they are made of.

#include <cmath>
#include <string>

#include "polyrope/core/axis.hpp"
#include "polyrope/core/index.hpp"

POLYROPE_BEGIN

namespace draw {
namespace detail {

/// Colours of the axes, told apart also by the colour-blind (Okabe and Ito), the light ones darkened for white ground.
[[nodiscard]] constexpr const char* colour(axis a) noexcept {
    switch (a) {
        case axis::t: return "#0072b2";
        case axis::h: return "#d55e00";
        case axis::w: return "#009e73";
        case axis::u: return "#aa4f86";
        case axis::v: return "#b07d00";
        case axis::x: return "#3a93c4";
        case axis::y: return "#8a8000";
        default: return "#b8bec6";
    }
}
inline constexpr const char* ink = "#1f2933";
inline constexpr const char* faint = "#6b7682";
inline constexpr const char* hairline = "#e3e7eb";

/// Two decimals at most, no trailing zeros, a point whatever the locale.
[[nodiscard]] inline std::string decimal(double value) {
    // Ties go up from a little below them, so that the last bit of a machine's arithmetic does not show.
    const auto hundredths = static_cast<long long>(std::floor(value * 100.0 + 0.5 + 1e-6));
    const long long magnitude = hundredths < 0 ? -hundredths : hundredths;
    std::string text = (hundredths < 0 ? "-" : "") + std::to_string(magnitude / 100);
    if (magnitude % 100 != 0) {
        text += '.';
        text += static_cast<char>('0' + magnitude % 100 / 10);
        if (magnitude % 10 != 0) text += static_cast<char>('0' + magnitude % 10);
    }
    return text;
}

/// A whole number with spaces between its thousands: 262 144.
[[nodiscard]] inline std::string grouped(index_t value) {
    std::string digits = std::to_string(value);
    const std::size_t first = value < 0 ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) {
        at -= 3;
        digits.insert(at, "\xe2\x80\x89");  // thin space
    }
    return digits;
}

/// Text that may come from a user, safe inside an element.
[[nodiscard]] inline std::string escaped(const std::string& text) {
    std::string all;
    for (const char c : text) {
        if (c == '&') all += "&amp;";
        else if (c == '<') all += "&lt;";
        else if (c == '>') all += "&gt;";
        else if (static_cast<unsigned char>(c) >= 0x20) all += c;
    }
    return all;
}

enum class anchor { start, middle, end };

class svg_writer {
public:
    svg_writer(double width, double height) {
        out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + decimal(width) + ' ' + decimal(height) +
               "\" width=\"" + decimal(width) + "\" height=\"" + decimal(height) +
               "\" font-family=\"system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif\" font-size=\"12\">\n";
        rectangle(0, 0, width, height, "#ffffff", 8);
    }

    void rectangle(double x, double y, double width, double height, const std::string& fill, double radius = 0,
                   double opacity = 1) {
        out_ += "<rect x=\"" + decimal(x) + "\" y=\"" + decimal(y) + "\" width=\"" + decimal(width) + "\" height=\"" +
                decimal(height) + "\" fill=\"" + fill + '"';
        if (radius > 0) out_ += " rx=\"" + decimal(radius) + '"';
        if (opacity < 1) out_ += " fill-opacity=\"" + decimal(opacity) + '"';
        out_ += "/>\n";
    }
    void line(double x1, double y1, double x2, double y2, const std::string& stroke, double width = 1,
              const char* dashes = nullptr) {
        out_ += "<line x1=\"" + decimal(x1) + "\" y1=\"" + decimal(y1) + "\" x2=\"" + decimal(x2) + "\" y2=\"" +
                decimal(y2) + "\" stroke=\"" + stroke + "\" stroke-width=\"" + decimal(width) + '"';
        if (dashes != nullptr) out_ += std::string(" stroke-dasharray=\"") + dashes + '"';
        out_ += "/>\n";
    }
    /// `data` as in the d attribute.
    void path(const std::string& data, const std::string& stroke, double width, const char* dashes = nullptr) {
        out_ += "<path d=\"" + data + "\" fill=\"none\" stroke=\"" + stroke + "\" stroke-width=\"" + decimal(width) +
                "\" stroke-linejoin=\"round\" stroke-linecap=\"round\"";
        if (dashes != nullptr) out_ += std::string(" stroke-dasharray=\"") + dashes + '"';
        out_ += "/>\n";
    }
    /// A closed area, `data` as in the d attribute.
    void area(const std::string& data, const std::string& fill, double opacity = 1, const char* stroke = nullptr) {
        out_ += "<path d=\"" + data + "\" fill=\"" + fill + '"';
        if (opacity < 1) out_ += " fill-opacity=\"" + decimal(opacity) + '"';
        if (stroke != nullptr) out_ += std::string(" stroke=\"") + stroke + "\" stroke-width=\"0.6\"";
        out_ += "/>\n";
    }
    void label(double x, double y, const std::string& text, const std::string& fill = faint,
               anchor where = anchor::start, double size = 12, bool bold = false) {
        out_ += "<text x=\"" + decimal(x) + "\" y=\"" + decimal(y) + "\" fill=\"" + fill + '"';
        if (size < 12 || size > 12) out_ += " font-size=\"" + decimal(size) + '"';
        if (bold) out_ += " font-weight=\"600\"";
        if (where != anchor::start)
            out_ += where == anchor::middle ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
        out_ += '>' + escaped(text) + "</text>\n";
    }
    /// Another picture, its upper left corner at (x, y).
    void place(double x, double y, const std::string& picture) {
        const std::string opening = "<svg ";
        if (picture.compare(0, opening.size(), opening) == 0)
            out_ += opening + "x=\"" + decimal(x) + "\" y=\"" + decimal(y) + "\" " + picture.substr(opening.size());
    }
    [[nodiscard]] std::string finish() && { return std::move(out_) + "</svg>\n"; }

private:
    std::string out_;
};

/// The step of 1, 2 or 5 times a power of ten that gives at most `most` ticks over `range`.
[[nodiscard]] inline double tick_step(double range, int most) noexcept {
    double step = 1.0;
    while (range / step > most) {
        if (range / (2.0 * step) <= most) return 2.0 * step;
        if (range / (5.0 * step) <= most) return 5.0 * step;
        step *= 10.0;
    }
    return step;
}

}  // namespace detail
}  // namespace draw

POLYROPE_END
