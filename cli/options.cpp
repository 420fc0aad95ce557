#include "options.h"

#include <array>

#include "text/option_names.h"

namespace bootfold::cli {

std::string with_command_options(std::string_view message) {
  static constexpr auto kNames = std::to_array<text::OptionName>({
      {"activation", "--activation"},
      {"all_but", "--ignore"},
      {"alternative", "--alternative"},
      {"average", "--average"},
      {"batch_size", "--batch-size"},
      {"block_length", "--block-length"},
      {"checkpoint", "--checkpoint"},
      {"clip", "--clip"},
      {"columns", "--column"},
      {"confidence", "--confidence"},
      {"control", "--control"},
      {"convention", "--convention"},
      {"correction", "--correction"},
      {"decimal", "--decimal"},
      {"delimiter", "--delimiter"},
      {"difference", "--difference"},
      {"dropout", "--dropout"},
      {"epochs", "--epochs"},
      {"first_replicate", "--first-replicate"},
      {"groups", "--groups"},
      {"header", "--header"},
      {"huber_delta", "--huber-delta"},
      {"initializer", "--initializer"},
      {"interval", "--interval"},
      {"learning_rate", "--learning-rate"},
      {"look_every", "--look-every"},
      {"loss", "--loss"},
      {"members", "--members"},
      {"memory", "--memory"},
      {"missing", "--missing"},
      {"momentum", "--momentum"},
      {"nan", "--nan"},
      {"nested_replicates", "--nested-replicates"},
      {"optimizer", "--optimizer"},
      {"patience", "--patience"},
      {"pos_weight", "--pos-weight"},
      {"precision", "--precision"},
      {"quantiles", "--quantiles"},
      {"replicates", "--replicates"},
      {"resampling", "--resampling"},
      {"rescale", "--rescale"},
      {"schedule", "--schedule"},
      {"scheme", "--scheme"},
      {"seed", "--seed"},
      {"share", "--share"},
      {"size", "--size"},
      {"split", "--split"},
      {"statistic", "--statistic"},
      {"subsample", "--subsample"},
      {"target_transform", "--target-transform"},
      {"test", "--test"},
      {"thousands", "--thousands"},
      {"threads", "--threads"},
      {"tolerance", "--tolerance"},
      {"warmup", "--warmup"},
      {"weight_decay", "--weight-decay"},
      {"where", "--where"},
  });
  return text::with_option_names(message, kNames,
                                 [](std::string_view name, std::string_view value) {
                                   return std::string(name) + " " + std::string(value);
                                 });
}

}  // namespace bootfold::cli
