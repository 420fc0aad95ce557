#include "drawing.h"

#include <fmt/format.h>

#include <cmath>

namespace bootfold::cli {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

std::string hex(const Color& color) {
  const auto byte = [](double share) { return static_cast<int>(std::lround(255 * share)); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(color.red), byte(color.green), byte(color.blue));
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

const char* anchor(Canvas::Align align) {
  if (align == Canvas::Align::left) return "start";
  return align == Canvas::Align::centre ? "middle" : "end";
}

}  // namespace

void Drawing::bar(Place corner, double width, double height, const Color& color) {
  shapes_.emplace_back(Bar{corner, width, height, color});
}

void Drawing::line(Place from, Place to, const Color& color, double width) {
  shapes_.emplace_back(Line{from, to, color, width});
}

void Drawing::circle(Place centre, double radius, const Color& fill, const Color& edge) {
  shapes_.emplace_back(Circle{centre, radius, fill, edge});
}

void Drawing::text(Place at, std::string_view text, const Canvas::Font& font) {
  shapes_.emplace_back(Text{at, std::string(text), font});
}

std::string Drawing::svg() const {
  std::string file = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      width_, height_);
  const Overloaded write{
      [&](const Bar& bar) {
        file += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n",
            bar.corner.x, bar.corner.y, bar.width, bar.height, hex(bar.color));
      },
      [&](const Line& line) {
        file += fmt::format(
            "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\" "
            "stroke-width=\"{:.2g}\"/>\n",
            line.from.x, line.from.y, line.to.x, line.to.y, hex(line.color), line.width);
      },
      [&](const Circle& circle) {
        file += fmt::format(
            "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2g}\" fill=\"{}\" stroke=\"{}\"/>\n",
            circle.centre.x, circle.centre.y, circle.radius, hex(circle.fill), hex(circle.edge));
      },
      [&](const Text& text) {
        file += fmt::format(
            "<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.3g}\"{} text-anchor=\"{}\" "
            "fill=\"{}\">{}</text>\n",
            text.at.x, text.at.y, text.font.size, text.font.bold ? " font-weight=\"bold\"" : "",
            anchor(text.font.align), hex(text.font.color), escaped(text.text));
      }};
  for (const auto& shape : shapes_) std::visit(write, shape);
  return file + "</svg>\n";
}

std::string Drawing::png() const {
  Canvas canvas(Canvas::Kind::png, width_, height_);
  const Overloaded draw{
      [&](const Bar& bar) {  // a picture of one pixel
        canvas.image(bar.corner, bar.width, bar.height, {&bar.color, 1}, 1);
      },
      [&](const Line& line) { canvas.line(line.from, line.to, line.color, line.width); },
      [&](const Circle& circle) {
        canvas.circle(circle.centre, circle.radius, circle.fill, circle.edge);
      },
      [&](const Text& text) { canvas.text(text.at, text.text, text.font); }};
  for (const auto& shape : shapes_) std::visit(draw, shape);
  return std::move(canvas).finish();
}

}  // namespace bootfold::cli
