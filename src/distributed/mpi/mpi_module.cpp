// The module that is linked with MPI.
#include "distributed/mpi_module.h"

#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <link.h>
#endif

namespace {

// Waiting processes leave the processor to others: first to whoever wants it, then by sleeping.
constexpr int kYields = 2000;
constexpr auto kPause = std::chrono::microseconds(200);

int refuse(int code, char* error) {
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::string line(text);
  line = line.substr(0, std::min(line.find('\n'), bootfold::distributed::kMpiError - 1));
  std::memcpy(error, line.c_str(), line.size() + 1);
  return 1;
}

int open_mpi(int* rank, int* size, int* node, char* error) {
  int provided = 0;
  int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  if (code != MPI_SUCCESS) return refuse(code, error);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  MPI_Comm here = MPI_COMM_NULL;
  code = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  if (code == MPI_SUCCESS) code = MPI_Allreduce(rank, node, 1, MPI_INT, MPI_MIN, here);
  if (here != MPI_COMM_NULL) MPI_Comm_free(&here);
  return code == MPI_SUCCESS ? 0 : refuse(code, error);
}

int transfer(int other, int sends, void* bytes, std::size_t size,
             int (*stopped)(const void* context), const void* context, char* error) {
  const int count = static_cast<int>(size);
  MPI_Request request = MPI_REQUEST_NULL;
  int code = sends != 0 ? MPI_Isend(bytes, count, MPI_BYTE, other, 0, MPI_COMM_WORLD, &request)
                        : MPI_Irecv(bytes, count, MPI_BYTE, other, 0, MPI_COMM_WORLD, &request);
  int done = 0;
  for (int tests = 0; code == MPI_SUCCESS; ++tests) {
    code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) break;
    if (stopped(context) != 0) return 2;
    if (tests < kYields)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(kPause);
  }
  return code == MPI_SUCCESS ? 0 : refuse(code, error);
}

void abort_mpi(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  _exit(code);
}

// Open MPI 4.1 unloads its components while its own progress thread may still run their code: about
// one process in a few hundred then ends by SIGSEGV in MPI_Finalize. So they stay loaded.
void keep_components() {
#if defined(__linux__)
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* found) {
        const std::string path = library->dlpi_name;
        if (path.find("/mca_") != std::string::npos)
          static_cast<std::vector<std::string>*>(found)->push_back(path);
        return 0;
      },
      &paths);
  for (const std::string& path : paths)
    dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
#endif
}

void close_mpi() {
  keep_components();
  MPI_Finalize();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const BootfoldMpi* bootfold_mpi_1() {
  static constexpr BootfoldMpi kModule{open_mpi, transfer, abort_mpi, close_mpi};
  return &kModule;
}
