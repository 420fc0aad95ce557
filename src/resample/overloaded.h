// std::visit with a function for each alternative: one that is missing does not compile.
#pragma once

namespace bootfold {

template <class... Cases>
struct overloaded : Cases... {
  using Cases::operator()...;
};
/// Compilers before clang 17 do not deduce this.
template <class... Cases>
overloaded(Cases...) -> overloaded<Cases...>;

}  // namespace bootfold
