// What a group does, made of messages between two processes.
#include "bootfold/distributed/group.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "bootfold/error.h"
#include "distributed/link.h"
#include "text/concat.h"

namespace bootfold::distributed {
namespace {

using Cause = DistributedError::Cause;

std::string packed(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    const std::uint64_t size = text.size();
    all.append(reinterpret_cast<const char*>(&size), sizeof size);
    all += text;
  }
  return all;
}

std::vector<std::string> unpacked(std::string_view all) {
  std::vector<std::string> texts;
  while (!all.empty()) {
    std::uint64_t size = 0;
    std::memcpy(&size, all.data(), sizeof size);
    texts.emplace_back(all.substr(sizeof size, size));
    all.remove_prefix(sizeof size + size);
  }
  return texts;
}

/// The exception that is being handled: its cause as a character, and its message.
std::string failure_in_words() {
  const auto words = [](Cause cause, const char* message) {
    return static_cast<char>('0' + static_cast<int>(cause)) + std::string(message);
  };
  try {
    throw;
  } catch (const DistributedError& error) {
    return words(error.cause(), error.what());
  } catch (const InvalidArgument& error) {
    return words(Cause::argument, error.what());
  } catch (const DataError& error) {
    return words(Cause::data, error.what());
  } catch (const Cancelled& error) {
    return words(Cause::cancelled, error.what());
  } catch (const std::bad_alloc&) {
    return words(Cause::other, "out of memory");
  } catch (const std::exception& error) {
    return words(Cause::other, error.what());
  } catch (...) {
    return words(Cause::other, "failed for an unknown reason");
  }
}

}  // namespace

Group::Group() = default;

Group::Group(std::shared_ptr<Link> link, std::stop_token stop)
    : link_(std::move(link)), stop_(std::move(stop)) {
  rank_ = link_->place().rank;
  size_ = link_->place().size;
}

Group Group::world(std::stop_token stop) {
  static std::weak_ptr<Link> current;  // MPI can be started once
  const Launch started = launch();
  if (started.size <= 1) return {};
  std::shared_ptr<Link> link = current.lock();
  if (!link) current = link = connect(started);
  return Group(std::move(link), std::move(stop));
}

Group Group::node() const {
  if (size_ == 1) return *this;
  const std::string own = std::to_string(link_->node());
  const std::vector<std::string> nodes = all_gather(own);
  Group here = *this;
  here.members_.clear();
  for (int rank = 0; rank < size_; ++rank) {
    if (nodes[static_cast<std::size_t>(rank)] != own) continue;
    if (rank == rank_) here.rank_ = static_cast<int>(here.members_.size());
    here.members_.push_back(members_.empty() ? rank : members_[static_cast<std::size_t>(rank)]);
  }
  here.size_ = static_cast<int>(here.members_.size());
  return here;
}

void Group::send(int to, std::string_view bytes) const {
  link_->send(members_.empty() ? to : members_.at(static_cast<std::size_t>(to)), bytes, stop_);
}

std::string Group::receive(int from) const {
  return link_->receive(members_.empty() ? from : members_.at(static_cast<std::size_t>(from)),
                        stop_);
}

// A binomial tree: a rank gets its bytes from the rank without its lowest bit.
std::string Group::broadcast(std::string_view bytes) const {
  std::string all(rank_ == 0 ? bytes : std::string_view());
  int step = 1;
  while (step < size_ && (rank_ & step) == 0) step *= 2;
  if (rank_ != 0) all = receive(rank_ - step);
  for (step /= 2; step > 0; step /= 2)
    if (rank_ + step < size_) send(rank_ + step, all);
  return all;
}

std::string Group::reduce(
    std::string bytes,
    const std::function<std::string(std::string_view, std::string_view)>& merge) const {
  for (int step = 1; step < size_; step *= 2) {
    if ((rank_ & step) != 0) {
      send(rank_ - step, bytes);
      return {};
    }
    if (rank_ + step < size_) bytes = merge(bytes, receive(rank_ + step));
  }
  return bytes;
}

std::vector<std::string> Group::gather(std::string_view bytes) const {
  if (rank_ != 0) {
    send(0, bytes);
    return {};
  }
  std::vector<std::string> all = {std::string(bytes)};
  for (int rank = 1; rank < size_; ++rank) all.push_back(receive(rank));
  return all;
}

std::vector<std::string> Group::all_gather(std::string_view bytes) const {
  return unpacked(broadcast(packed(gather(bytes))));
}

void Group::agree(const std::function<void()>& work) const {
  if (size_ == 1) return work();
  std::string failure;
  try {
    work();
  } catch (...) {
    failure = failure_in_words();
  }
  const std::vector<std::string> failures = all_gather(failure);
  const auto first = std::find_if(failures.begin(), failures.end(),
                                  [](const std::string& one) { return !one.empty(); });
  if (first == failures.end()) return;
  const bool everywhere = std::all_of(failures.begin(), failures.end(),
                                      [&](const std::string& one) { return one == *first; });
  const std::string place = everywhere ? "" : text::concat("rank ", first - failures.begin(), ": ");
  throw DistributedError(place + first->substr(1), static_cast<Cause>(first->front() - '0'));
}

void Group::abort(int code) const {
  if (link_) link_->abort(code);
  std::_Exit(code);
}

int run(const std::function<void(const Group&)>& body) noexcept {
  int rank = 0;
  const auto tell = [&rank](const std::string& message) {
    std::fprintf(stderr, "rank %d: %s\n", rank, message.c_str());
  };
  try {
    rank = launch().rank;
    const Group group = Group::world();
    try {
      body(group);
      return 0;
    } catch (const DistributedError& error) {
      if (error.cause() == Cause::connection) throw;
      // All ranks have it.
      if (group.rank() == 0) std::fprintf(stderr, "%s\n", error.what());
      return 1;
    } catch (...) {
      tell(failure_in_words().substr(1));
      group.abort(1);
    }
  } catch (...) {
    tell(failure_in_words().substr(1));
    return 1;
  }
}

}  // namespace bootfold::distributed
