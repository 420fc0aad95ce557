// bootfold/error.h: exceptions.
//
//     try {
//       bootstrap(prices, statistic::quantile(1.5));
//     } catch (const InvalidArgument& error) {
//       std::cerr << error.what();   // names the value, the rule and a remedy
//     }
//
// The library never prints and never aborts, but for distributed::run(). The type of an exception
// tells whether an argument or the data are at fault.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "bootfold/api.h"

namespace bootfold {

/// An argument is invalid: out of range, unknown, or incompatible with another.
class BOOTFOLD_API InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A file or a table has no column of that name. The message lists those that it has.
class BOOTFOLD_API UnknownColumn : public InvalidArgument {
 public:
  UnknownColumn(const std::string& message, std::string column)
      : UnknownColumn(message, std::move(column), message) {}
  /// `problem` is the message without the expression in which the name stands.
  UnknownColumn(const std::string& message, std::string column, std::string problem)
      : InvalidArgument(message),
        words_(std::make_shared<const Words>(Words{std::move(column), std::move(problem)})) {}

  /// The name that was not found.
  [[nodiscard]] const std::string& column() const noexcept { return words_->column; }
  /// What is wrong, without the expression in which the name stands.
  [[nodiscard]] const std::string& problem() const noexcept { return words_->problem; }

 private:
  struct Words {
    std::string column;
    std::string problem;
  };
  std::shared_ptr<const Words> words_;  // exceptions must be copied without throwing
};

/// The data cannot be used: an unreadable file, text in a numeric column, NaN. The message names
/// the position.
class BOOTFOLD_API DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Processes that work together failed: the connection between them, or work on which all of them
/// have to agree (bootfold/distributed/group.h).
class BOOTFOLD_API DistributedError : public std::runtime_error {
 public:
  /// What kind of error it was on the process that failed.
  enum class Cause { connection, argument, data, cancelled, other };

  explicit DistributedError(const std::string& message, Cause cause = Cause::connection)
      : std::runtime_error(message), cause_(cause) {}

  [[nodiscard]] Cause cause() const noexcept { return cause_; }

 private:
  Cause cause_;
};

/// The stop token of the caller requested cancellation. There is no result.
class BOOTFOLD_API Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled before the work was done") {}
  /// `kept`: what a checkpoint holds, "12,345 of 100,000 replicates are in run.checkpoint".
  explicit Cancelled(const std::string& kept)
      : std::runtime_error("cancelled before the work was done" +
                           (kept.empty() ? "" : "; " + kept)),
        kept_(std::make_shared<const std::string>(kept)) {}

  /// What the checkpoint of the run holds; empty if there is none.
  [[nodiscard]] std::string kept() const { return kept_ ? *kept_ : ""; }

 private:
  std::shared_ptr<const std::string> kept_;  // exceptions must be copied without throwing
};

}  // namespace bootfold
