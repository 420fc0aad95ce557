// Ctrl-C and SIGTERM end a run within a second, with code 130 or 143, one line, and nothing
// written.
#include <gtest/gtest.h>

#include <csignal>
#include <vector>

#include "bootfold/data.h"
#include "program.h"

namespace bootfold::cli {
namespace interrupt_test {

constexpr const char* kLine = "bootfold: interrupted; nothing was written\n";

class Interrupt : public testing::TestWithParam<int> {
 protected:
  static int code() { return 128 + GetParam(); }
};

TEST_P(Interrupt, EndsALongRunWithinASecond) {
  const Folder folder;
  std::vector<double> values(1'000'000);  // times 1e6 replicates: minutes
  for (std::size_t row = 0; row < values.size(); ++row)
    values[row] = static_cast<double>(row * 7919 % values.size());
  data::write_npy(folder.path("x.npy"), values, std::vector<std::size_t>{values.size()});
  double seconds = 0;
  const Outcome outcome = run({"bootstrap", folder.path("x.npy"), "--replicates", "1e6", "--path",
                               "stream", "--threads", "2", "--output", folder.path("r.npy")},
                              {.signal = GetParam(),
                               .patience = std::chrono::milliseconds(1000),
                               .cpu_after_signal = &seconds});
  EXPECT_EQ(outcome.code, code());
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, kLine);
  EXPECT_LT(seconds, 1);
  EXPECT_EQ(folder.files(), std::vector<std::string>{"x.npy"});
}

TEST_P(Interrupt, EndsTheReadingOfInputThatNeverComes) {
  double seconds = 0;
  const Outcome outcome =
      run({"bootstrap", "-"},
          {.hanging_input = true, .signal = GetParam(), .cpu_after_signal = &seconds});
  EXPECT_EQ(outcome.code, code());
  EXPECT_EQ(outcome.err, kLine);
  EXPECT_LT(seconds, 1);
}

TEST_P(Interrupt, EndsTheDemo) {
  double seconds = 0;
  const Outcome outcome =
      run({"demo", "bootstrap", "--rows", "1e6", "--seconds", "100", "--threads", "2"},
          {.signal = GetParam(),
           .patience = std::chrono::milliseconds(1500),
           .cpu_after_signal = &seconds});
  EXPECT_EQ(outcome.code, code());
  EXPECT_EQ(outcome.err, kLine);
  EXPECT_LT(seconds, 1);
}

INSTANTIATE_TEST_SUITE_P(By, Interrupt, testing::Values(SIGINT, SIGTERM),
                         [](const auto& test) { return test.param == SIGINT ? "Key" : "Term"; });

}  // namespace interrupt_test
}  // namespace bootfold::cli
