// Ranks that are threads of the test, so that groups are tested without a launcher.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bootfold/error.h"
#include "distributed/link.h"

namespace bootfold::distributed {

/// What all ranks share.
struct Post {
  std::mutex lock;
  std::condition_variable_any changed;
  std::map<std::pair<int, int>, std::deque<std::string>> letters;  // by (from, to)
  std::size_t bytes = 0;                                           // of all letters so far
  std::stop_source stop;
};

class ThreadLink final : public Link {
 public:
  ThreadLink(std::shared_ptr<Post> post, Launch place, int node)
      : post_(std::move(post)), place_(place), node_(node) {}

  [[nodiscard]] Launch place() const noexcept override { return place_; }
  [[nodiscard]] int node() const noexcept override { return node_; }
  void send(int to, std::string_view bytes, const std::stop_token&) override {
    const std::scoped_lock lock(post_->lock);
    post_->letters[{place_.rank, to}].emplace_back(bytes);
    post_->bytes += bytes.size();
    post_->changed.notify_all();
  }
  std::string receive(int from, const std::stop_token&) override {
    std::unique_lock lock(post_->lock);
    auto& letters = post_->letters[{from, place_.rank}];
    if (!post_->changed.wait(lock, post_->stop.get_token(), [&] { return !letters.empty(); }))
      throw Cancelled();
    std::string bytes = std::move(letters.front());
    letters.pop_front();
    return bytes;
  }
  [[noreturn]] void abort(int code) override {
    throw std::runtime_error("aborted with " + std::to_string(code));
  }

 private:
  std::shared_ptr<Post> post_;
  Launch place_;
  int node_;
};

/// Runs `body` as so many ranks, of which `node_ranks` are on one machine, and throws the first
/// exception; the other ranks are then ended. Returns the bytes that were sent.
inline std::size_t in_ranks(int size, const std::function<void(const Group&)>& body,
                            int node_ranks = 1000) {
  const auto post = std::make_shared<Post>();
  std::exception_ptr first;
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size; ++rank)
      threads.emplace_back([&, rank] {
        try {
          body(Group(std::make_shared<ThreadLink>(post, Launch{rank, size},
                                                  rank / node_ranks * node_ranks)));
        } catch (...) {
          const std::scoped_lock lock(post->lock);
          if (!first) first = std::current_exception();
          post->stop.request_stop();
        }
      });
  }
  if (first) std::rethrow_exception(first);
  for (const auto& [way, letters] : post->letters)
    if (!letters.empty()) throw std::logic_error("a message was sent that nobody received");
  return post->bytes;
}

}  // namespace bootfold::distributed
