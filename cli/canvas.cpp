#include "canvas.h"

#include <cairo/cairo-svg.h>
#include <cairo/cairo.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "failure.h"

namespace bootfold::cli {
namespace {

constexpr double kPixelsToTheUnit = 2;

cairo_status_t append(void* file, const unsigned char* bytes, unsigned int size) {
  try {
    static_cast<std::string*>(file)->append(reinterpret_cast<const char*>(bytes), size);
  } catch (...) {  // no exception may pass through C
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

void check(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS)
    throw Failure(fmt::format("the picture cannot be drawn: {}", cairo_status_to_string(status)));
}

std::uint32_t packed(const Color& color) {
  const auto byte = [](double value) {
    return static_cast<std::uint32_t>(std::lround(255 * value));
  };
  return (byte(color.red) << 16) | (byte(color.green) << 8) | byte(color.blue);
}

}  // namespace

struct Canvas::Cairo {
  Cairo(Kind wanted, double width, double height) : kind(wanted) {
    if (kind == Kind::svg) {
      surface = cairo_svg_surface_create_for_stream(append, &file, width, height);
      cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    } else {
      surface =
          cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width * kPixelsToTheUnit),
                                     static_cast<int>(height * kPixelsToTheUnit));
    }
    context = cairo_create(surface);
    if (kind == Kind::png) cairo_scale(context, kPixelsToTheUnit, kPixelsToTheUnit);
    cairo_set_source_rgb(context, 1, 1, 1);
    cairo_paint(context);
    cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND);
  }
  ~Cairo() {
    cairo_destroy(context);
    cairo_surface_destroy(surface);
  }
  Cairo(const Cairo&) = delete;
  Cairo& operator=(const Cairo&) = delete;

  void use(const Color& color) const {
    cairo_set_source_rgb(context, color.red, color.green, color.blue);
  }
  void fill_and_edge(const Color& fill, const Color& edge) const {
    use(fill);
    cairo_fill_preserve(context);
    use(edge);
    cairo_set_line_width(context, 0.9);
    cairo_stroke(context);
  }

  Kind kind;
  std::string file;  // outlives the surface, which writes to it
  cairo_surface_t* surface = nullptr;
  cairo_t* context = nullptr;
};

void Canvas::check_available() {}

Canvas::Canvas(Kind kind, double width, double height)
    : cairo_(std::make_unique<Cairo>(kind, width, height)) {}

Canvas::~Canvas() = default;

void Canvas::text(Place at, std::string_view text, const Font& font) {
  cairo_t* context = cairo_->context;
  const std::string line(text);
  cairo_save(context);
  cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, font.size);
  cairo_text_extents_t extents;
  cairo_text_extents(context, line.c_str(), &extents);
  const double back = font.align == Align::left     ? 0
                      : font.align == Align::centre ? extents.x_advance / 2
                                                    : extents.x_advance;
  cairo_translate(context, at.x, at.y);
  if (font.upwards) cairo_rotate(context, -std::numbers::pi / 2);
  cairo_move_to(context, -back, 0);
  cairo_->use(font.color);
  cairo_show_text(context, line.c_str());
  cairo_restore(context);
}

void Canvas::line(Place from, Place to, const Color& color, double width) {
  lines(std::array{from, to}, color, width);
}

void Canvas::lines(std::span<const Place> ends, const Color& color, double width) {
  cairo_->use(color);
  cairo_set_line_width(cairo_->context, width);
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
    cairo_move_to(cairo_->context, ends[i].x, ends[i].y);
    cairo_line_to(cairo_->context, ends[i + 1].x, ends[i + 1].y);
  }
  cairo_stroke(cairo_->context);
}

void Canvas::frame(Place corner, double width, double height, const Color& color) {
  cairo_->use(color);
  cairo_set_line_width(cairo_->context, 1);
  cairo_rectangle(cairo_->context, corner.x, corner.y, width, height);
  cairo_stroke(cairo_->context);
}

void Canvas::circle(Place centre, double radius, const Color& fill, const Color& edge) {
  cairo_new_sub_path(cairo_->context);
  cairo_arc(cairo_->context, centre.x, centre.y, radius, 0, 2 * std::numbers::pi);
  cairo_->fill_and_edge(fill, edge);
}

void Canvas::diamond(Place centre, double radius, const Color& fill, const Color& edge) {
  const double reach = radius * 1.25;  // about the area of the circle
  cairo_move_to(cairo_->context, centre.x, centre.y - reach);
  cairo_line_to(cairo_->context, centre.x + reach, centre.y);
  cairo_line_to(cairo_->context, centre.x, centre.y + reach);
  cairo_line_to(cairo_->context, centre.x - reach, centre.y);
  cairo_close_path(cairo_->context);
  cairo_->fill_and_edge(fill, edge);
}

void Canvas::image(Place corner, double width, double height, std::span<const Color> colors,
                   std::size_t columns) {
  const std::size_t rows = colors.size() / columns;
  cairo_surface_t* pixels = cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, static_cast<int>(columns), static_cast<int>(rows));
  unsigned char* bytes = cairo_image_surface_get_data(pixels);
  if (bytes != nullptr) {  // else the status below tells why
    const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(pixels));
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < columns; ++column)
        reinterpret_cast<std::uint32_t*>(bytes + row * stride)[column] =
            packed(colors[row * columns + column]);
    cairo_surface_mark_dirty(pixels);
  }
  cairo_t* context = cairo_->context;
  cairo_save(context);
  cairo_translate(context, corner.x, corner.y);
  cairo_rectangle(context, 0, 0, width, height);
  cairo_clip(context);
  cairo_scale(context, width / static_cast<double>(columns), height / static_cast<double>(rows));
  cairo_set_source_surface(context, pixels, 0, 0);
  cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD);  // no pale edge
  cairo_paint(context);
  cairo_restore(context);
  const cairo_status_t status = cairo_surface_status(pixels);
  cairo_surface_destroy(pixels);
  check(status);
}

std::string Canvas::finish() && {
  check(cairo_status(cairo_->context));
  if (cairo_->kind == Kind::png)
    check(cairo_surface_write_to_png_stream(cairo_->surface, append, &cairo_->file));
  cairo_surface_finish(cairo_->surface);
  check(cairo_surface_status(cairo_->surface));
  return std::move(cairo_->file);
}

}  // namespace bootfold::cli
