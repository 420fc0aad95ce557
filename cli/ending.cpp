#include "ending.h"

#include <new>

#include "bootfold/error.h"
#include "failure.h"
#include "interrupt.h"
#include "options.h"

namespace bootfold::cli {
namespace {

int code_of(DistributedError::Cause cause) {
  using Cause = DistributedError::Cause;
  if (cause == Cause::cancelled) return Interrupt::exit_code();
  return cause == Cause::argument || cause == Cause::data ? kMisused : kFailed;
}

}  // namespace

Ending ending() noexcept try {
  try {
    throw;
  } catch (const InvalidArgument& error) {
    return {kMisused, with_command_options(error.what())};
  } catch (const DataError& error) {
    return {kMisused, with_command_options(error.what())};
  } catch (const Cancelled& cancelled) {
    return {Interrupt::exit_code(), interrupted_text(cancelled.kept())};
  } catch (const DistributedError& error) {
    return {code_of(error.cause()), with_command_options(error.what())};
  } catch (const std::bad_alloc&) {
    return {kFailed, "out of memory; use fewer replicates or a smaller file"};
  } catch (const std::exception& error) {
    return {kFailed, error.what()};
  } catch (...) {
    return {kFailed, "failed for an unknown reason"};
  }
} catch (...) {  // no memory even for the message
  return {kFailed, {}};
}

}  // namespace bootfold::cli
