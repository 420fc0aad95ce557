// Pictures show what they should: colours and places.
#include <cairo/cairo.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "figure.h"

namespace bootfold::cli {
namespace picture_test {

// Relative luminance; what is left of a colour in grey.
double luminance(const Color& color) {
  const auto linear = [](double value) {
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

TEST(Color, SequentialGetsLighterAllTheWay) {
  double last = -1;
  for (int i = 0; i <= 100; ++i) {
    const double now = luminance(sequential(i / 100.0));
    EXPECT_GT(now, last) << i;
    last = now;
  }
  EXPECT_LT(luminance(sequential(0)), 0.02);
  EXPECT_GT(last, 0.8);
}

TEST(Color, DivergingIsLightInTheMiddleAndDarkerBothWays) {
  for (int i = 0; i < 50; ++i) {
    EXPECT_LT(luminance(diverging(i / 100.0)), luminance(diverging((i + 1) / 100.0))) << i;
    EXPECT_LT(luminance(diverging(1 - i / 100.0)), luminance(diverging(0.99 - i / 100.0))) << i;
  }
  EXPECT_GT(diverging(0).blue, diverging(0).red);
  EXPECT_GT(diverging(1).red, diverging(1).blue);
}

TEST(Color, BeyondTheEndsAreTheEnds) {
  EXPECT_EQ(diverging(-3).red, diverging(0).red);
  EXPECT_EQ(sequential(7).green, sequential(1).green);
}

/// A PNG as pixels 0xRRGGBB.
class Pixels {
 public:
  explicit Pixels(const std::string& png) : rest_(png) {
    surface_ = cairo_image_surface_create_from_png_stream(
        [](void* self, unsigned char* out, unsigned int size) {
          std::string_view& rest = static_cast<Pixels*>(self)->rest_;
          if (rest.size() < size) return CAIRO_STATUS_READ_ERROR;
          std::memcpy(out, rest.data(), size);
          rest.remove_prefix(size);
          return CAIRO_STATUS_SUCCESS;
        },
        this);
    EXPECT_EQ(cairo_surface_status(surface_), CAIRO_STATUS_SUCCESS);
  }
  ~Pixels() { cairo_surface_destroy(surface_); }
  Pixels(const Pixels&) = delete;
  Pixels& operator=(const Pixels&) = delete;

  [[nodiscard]] int width() const { return cairo_image_surface_get_width(surface_); }
  [[nodiscard]] int height() const { return cairo_image_surface_get_height(surface_); }
  /// How many are of this colour, to 1 of 255, and their middle as shares of width and height.
  struct Found {
    int count = 0;
    double x = 0;
    double y = 0;
  };
  [[nodiscard]] Found find(const Color& color) const {
    const unsigned char* bytes = cairo_image_surface_get_data(surface_);
    const int stride = cairo_image_surface_get_stride(surface_);
    Found found;
    for (int y = 0; y < height(); ++y)
      for (int x = 0; x < width(); ++x) {
        const unsigned char* pixel = bytes + y * stride + 4 * x;  // blue, green, red
        if (std::abs(pixel[2] - 255 * color.red) > 1.01 ||
            std::abs(pixel[1] - 255 * color.green) > 1.01 ||
            std::abs(pixel[0] - 255 * color.blue) > 1.01)
          continue;
        ++found.count;
        found.x += x;
        found.y += y;
      }
    found.x /= static_cast<double>(found.count) * width();
    found.y /= static_cast<double>(found.count) * height();
    return found;
  }

 private:
  std::string_view rest_;
  cairo_surface_t* surface_ = nullptr;
};

// One panel whose upper right quarter is 1 and whose rest is 0.
Figure quarter(const Spirals& points) {
  Figure figure{.title = "quarter", .reach = 1.5, .side = 60, .panels = {}, .points = points};
  const Grid grid(figure.reach, figure.side);
  std::vector<double> values;
  for (std::size_t i = 0; i < grid.x.size(); ++i)
    values.push_back(grid.x[i] > 0 && grid.y[i] > 0 ? 1 : 0);
  figure.panels.push_back({.title = "one",
                           .note = "",
                           .values = values,
                           .scale = {"probability", diverging, 0, 1},
                           .bar = false});
  return figure;
}

TEST(Figure, PutsNumbersWhereTheyBelong) {
  const Spirals points(2, 0, 1, 0);
  const Pixels pixels(draw(quarter(points), Canvas::Kind::png));
  const Pixels::Found low = pixels.find(diverging(0));
  const Pixels::Found high = pixels.find(diverging(1));
  ASSERT_GT(high.count, 50'000);  // a quarter of 660 x 660
  EXPECT_NEAR(static_cast<double>(low.count) / high.count, 3, 0.1);
  EXPECT_GT(high.x, low.x);  // to the right
  EXPECT_LT(high.y, low.y);  // and up
}

TEST(Figure, IsAlsoSvg) {
  const Spirals points(50, 0.05, 1, 0);
  const std::string svg = draw(quarter(points), Canvas::Kind::svg);
  EXPECT_EQ(svg.rfind("<?xml", 0), 0U);
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
}

}  // namespace picture_test
}  // namespace bootfold::cli
