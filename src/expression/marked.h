// expression/marked.h: mistakes in the expression of a row, with their place in it.
//
// Readers of files know the column "log(cut)" but not that the user wrote "exp(mean(log(cut)))".
// Their exceptions carry the place, so that whoever knows that text can mark the mistake there.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "bootfold/error.h"

namespace bootfold::expression {

/// The part of an exception that knows the place. Copies share the words, so that they do not
/// throw.
class Marked {
 public:
  struct Words {
    std::string text;  ///< the expression, or the name of a column
    std::size_t at = 0;
    std::size_t end = 0;
    std::string problem;  ///< the message without the expression and its mark
  };
  explicit Marked(Words words) : words_(std::make_shared<const Words>(std::move(words))) {}

  [[nodiscard]] const Words& words() const noexcept { return *words_; }

 private:
  std::shared_ptr<const Words> words_;
};

class MarkedArgument : public InvalidArgument, public Marked {
 public:
  /// The message has the expression and its mark.
  MarkedArgument(const std::string& message, Words words)
      : InvalidArgument(message), Marked(std::move(words)) {}
};

class MarkedError : public DataError, public Marked {
 public:
  MarkedError(const std::string& message, Words words)
      : DataError(message), Marked(std::move(words)) {}
};

/// A column outside of all functions over all rows, or the name of such a function without columns:
/// who knows the columns can tell which.
class BareWord : public MarkedArgument {
 public:
  struct Reading {
    std::string name;       ///< of the column or function
    std::string as_column;  ///< what is wrong if it is a column
    std::string call;       ///< how the function is called, "mean(COLUMN)"; empty if there is none
  };
  BareWord(const std::string& message, Words words, Reading reading)
      : MarkedArgument(message, std::move(words)),
        reading_(std::make_shared<const Reading>(std::move(reading))) {}

  [[nodiscard]] const Reading& reading() const noexcept { return *reading_; }
  /// What is wrong if it is a function that is to be called so.
  [[nodiscard]] static std::string as_function(const std::string& call) {
    return "a function over all rows needs its column in parentheses: " + call;
  }

 private:
  std::shared_ptr<const Reading> reading_;
};

}  // namespace bootfold::expression
