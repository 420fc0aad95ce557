// bootfold/distributed/map_reduce.h: the parallel loop of bootfold/map_reduce.h over the processes
// of a group, and over the threads of each.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bootfold/distributed/group.h"
#include "bootfold/error.h"
#include "bootfold/map_reduce.h"

namespace bootfold {

namespace distributed {

/// A state that turns into bytes and back by its own functions.
template <class State>
concept HasBytes = requires(const State& state, std::string_view bytes) {
  { state.to_bytes() } -> std::convertible_to<std::string>;
  { State::from_bytes(bytes) } -> std::convertible_to<State>;
};

/// A state that another process understands byte by byte: numbers, and structs of them without
/// pointers.
template <class State>
concept Plain = std::is_trivially_copyable_v<State> && !std::is_pointer_v<State> &&
                std::default_initializable<State>;

/// A vector of these.
template <class State>
concept PlainVector = requires {
  typename State::value_type;
}
&&Plain<typename State::value_type>&&
        std::same_as<State, std::vector<typename State::value_type>> &&
    !std::same_as<typename State::value_type, bool>;

/// What map_reduce() can send from one process to another.
template <class State>
concept Sendable = HasBytes<State> || Plain<State> || PlainVector<State>;

template <Sendable State>
[[nodiscard]] std::string to_bytes(const State& state) {
  if constexpr (HasBytes<State>) {
    return state.to_bytes();
  } else if constexpr (Plain<State>) {
    return {reinterpret_cast<const char*>(&state), sizeof state};
  } else {
    return {reinterpret_cast<const char*>(state.data()),
            state.size() * sizeof(typename State::value_type)};
  }
}

template <Sendable State>
[[nodiscard]] State from_bytes(std::string_view bytes) {
  if constexpr (HasBytes<State>) {
    return State::from_bytes(bytes);
  } else {
    State state{};
    void* place = &state;
    std::size_t size = sizeof state;
    if constexpr (!Plain<State>) {
      state.resize(bytes.size() / sizeof(typename State::value_type));
      place = state.data();
      size = state.size() * sizeof(typename State::value_type);
    }
    if (size != bytes.size()) throw DistributedError("the processes are of different programs");
    if (size > 0) std::memcpy(place, bytes.data(), size);
    return state;
  }
}

}  // namespace distributed

/// map_reduce() with the indices spread over the processes of a group. All processes call it with
/// the same range, and all get the result.
///
///     // sum of the squares of all rows of an 8 x 10 matrix, which every process has or can make
///     double total = bootfold::map_reduce(
///         {0, 8}, 0.0,
///         [&](double& sum, std::size_t row) { for (double x : matrix.row(row)) sum += x * x; },
///         [](double& sum, double part) { sum += part; }, group);
///
/// Each process takes chunks that follow each other, on its own threads. The states are merged in
/// the order of the indices, from rank to rank, so the result has the bits of map_reduce() in one
/// process, even if `merge` rounds. A process keeps one state for each of its chunks, of which
/// there are at most 256 in all unless `range.grain` is given. Progress is that of this process. An
/// exception in `body` is thrown on its process alone, which has to end the others
/// (distributed::run).
template <distributed::Sendable State, class Body, class Merge>
[[nodiscard]] State map_reduce(IndexRange range, const State& init, Body&& body, Merge&& merge,
                               const distributed::Group& group, const Execution& execution = {}) {
  if (group.size() == 1)
    return map_reduce(range, init, std::forward<Body>(body), std::forward<Merge>(merge), execution);
  const execution::detail::Chunks chunks(range);
  const auto share = [&](int rank) {
    const auto size = static_cast<std::size_t>(group.size());
    const auto place = static_cast<std::size_t>(rank);
    return chunks.count() / size * place + std::min(place, chunks.count() % size);
  };
  const std::size_t begin = share(group.rank());
  const std::size_t end = share(group.rank() + 1);
  std::vector<std::optional<State>> states(end - begin);
  execution::detail::run_chunks(states.size(),
                                static_cast<double>(chunks.begin(end) - chunks.begin(begin)),
                                execution, [&](const execution::Worker& worker, std::size_t chunk) {
                                  State state = init;
                                  chunks.add(begin + chunk, state, body, worker, true);
                                  states[chunk] = std::move(state);
                                });

  State result = init;
  if (group.rank() > 0) result = distributed::from_bytes<State>(group.receive(group.rank() - 1));
  for (std::optional<State>& state : states) merge(result, std::move(*state));
  const bool last = group.rank() + 1 == group.size();
  if (!last) group.send(group.rank() + 1, distributed::to_bytes(result));
  if (last) group.send(0, distributed::to_bytes(result));
  return distributed::from_bytes<State>(
      group.broadcast(group.rank() == 0 ? group.receive(group.size() - 1) : std::string()));
}

}  // namespace bootfold
