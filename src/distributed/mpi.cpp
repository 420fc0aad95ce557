// Processes that MPI connects, through the module that is linked with it.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>

#include "bootfold/error.h"
#include "distributed/link.h"
#include "distributed/mpi_module.h"
#include "text/concat.h"

namespace bootfold::distributed {
namespace {

constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 30;

/// Loaded once and never unloaded. Its symbols are visible to what MPI itself loads.
const BootfoldMpi& load_mpi() {
  static const BootfoldMpi* const module = []() -> const BootfoldMpi* {
    std::string reasons;
    for (const char* file : {BOOTFOLD_MPI_BUILT, BOOTFOLD_MPI_INSTALLED, BOOTFOLD_MPI_NAME}) {
      void* const library = ::dlopen(file, RTLD_NOW | RTLD_GLOBAL);
      void* const symbol = library == nullptr ? nullptr : ::dlsym(library, kMpiSymbol);
      if (symbol != nullptr) return reinterpret_cast<BootfoldMpiModule*>(symbol)();
      const char* const reason = ::dlerror();
      reasons += text::concat(reasons.empty() ? "" : "; ", reason == nullptr ? file : reason);
    }
    throw DistributedError(text::concat("the module for MPI cannot be loaded (", reasons, ")"));
  }();
  return *module;
}

class MpiLink final : public Link {
 public:
  explicit MpiLink(const Launch& launch) : module_(load_mpi()) {
    std::array<char, kMpiError> error{};
    if (module_.open(&place_.rank, &place_.size, &node_, error.data()) != 0)
      throw DistributedError(text::concat("MPI did not start: ", error.data()));
    if (place_.size != launch.size)
      throw DistributedError(text::concat(
          "the launcher started ", launch.size, " processes but MPI knows ", place_.size,
          "; use the mpirun of the MPI library that bootfold was built with, or set the variable "
          "BOOTFOLD_MPI=off to let each process work for itself"));
  }
  ~MpiLink() override {
    // After an exception the others may still wait for this process; MPI would wait for them.
    if (std::uncaught_exceptions() == 0) module_.close();
  }
  MpiLink(const MpiLink&) = delete;
  MpiLink& operator=(const MpiLink&) = delete;

  [[nodiscard]] Launch place() const noexcept override { return place_; }
  [[nodiscard]] int node() const noexcept override { return node_; }

  void send(int to, std::string_view bytes, const std::stop_token& stop) override {
    std::uint64_t size = bytes.size();
    transfer(to, true, &size, sizeof size, stop);
    // MPI reads the bytes only, but this interface has one pointer for both directions.
    transfer(to, true, const_cast<char*>(bytes.data()), size, stop);
  }
  std::string receive(int from, const std::stop_token& stop) override {
    std::uint64_t size = 0;
    transfer(from, false, &size, sizeof size, stop);
    std::string bytes(size, '\0');
    transfer(from, false, bytes.data(), size, stop);
    return bytes;
  }
  [[noreturn]] void abort(int code) override {
    module_.abort(code);
    std::_Exit(code);
  }

 private:
  void transfer(int other, bool sends, void* bytes, std::uint64_t size,
                const std::stop_token& stop) const {
    const auto stopped = [](const void* context) {
      return static_cast<const std::stop_token*>(context)->stop_requested() ? 1 : 0;
    };
    for (std::uint64_t done = 0; done < size; done += kMostAtOnce) {
      std::array<char, kMpiError> error{};
      const int code =
          module_.transfer(other, sends ? 1 : 0, static_cast<char*>(bytes) + done,
                           std::min(kMostAtOnce, size - done), stopped, &stop, error.data());
      if (code == 2) throw Cancelled();
      if (code != 0)
        throw DistributedError(
            text::concat("MPI could not exchange data with rank ", other, ": ", error.data()));
    }
  }

  const BootfoldMpi& module_;
  Launch place_;
  int node_ = 0;
};

}  // namespace

std::shared_ptr<Link> connect(const Launch& launch) { return std::make_shared<MpiLink>(launch); }

}  // namespace bootfold::distributed
