#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace jettison {

// The names of an enumeration in the order of its declaration, which begins at zero. One that has
// names lists them beside its declaration:
//
//   template <>
//   inline constexpr auto kNamesOf<JobEnding> = EnumNames("kill", "terminate");
template <typename Enum>
inline constexpr std::array<std::string_view, 0> kNamesOf{};

template <typename... Texts>
[[nodiscard]] consteval auto EnumNames(const Texts&... texts) {
  return std::array<std::string_view, sizeof...(Texts)>{texts...};
}

template <typename Enum>
concept NamedEnum = !kNamesOf<Enum>.empty();

template <NamedEnum Enum>
[[nodiscard]] constexpr std::string_view NameOf(Enum enumerator) {
  return kNamesOf<Enum>[static_cast<std::size_t>(enumerator)];
}

// Absent: none has that name.
template <NamedEnum Enum>
[[nodiscard]] constexpr std::optional<Enum> EnumeratorNamed(std::string_view name) {
  const auto found = std::ranges::find(kNamesOf<Enum>, name);
  if (found == kNamesOf<Enum>.end()) return std::nullopt;
  return static_cast<Enum>(found - kNamesOf<Enum>.begin());
}

// Every enumerator, in the order of the names.
template <NamedEnum Enum>
inline constexpr auto kAllOf = [] {
  std::array<Enum, kNamesOf<Enum>.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Enum>(i);
  return all;
}();

}  // namespace jettison
