#include "codec/kubernetes/json_element.h"

#include "core/text/ascii.h"

namespace jettison {
namespace {

std::size_t TakeDigits(std::string_view& rest) {
  std::size_t count = 0;
  while (count < rest.size() && IsDigit(rest[count])) ++count;
  rest.remove_prefix(count);
  return count;
}

// Whether a number is written as Go, Python and we write all but the largest and the smallest:
// without an exponent, and with a whole part that fits into 64 bits whatever its digits are.
bool IsPlainNumber(std::string_view token) {
  constexpr std::size_t kDigitsThatFit = 18;
  token = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
  if (token.starts_with('-')) token.remove_prefix(1);
  const bool zero = token.starts_with('0');
  const std::size_t digits = TakeDigits(token);
  if (digits == 0 || digits > kDigitsThatFit || (zero && digits > 1)) return false;
  if (!token.starts_with('.')) return token.empty();
  token.remove_prefix(1);
  return TakeDigits(token) > 0 && token.empty();
}

}  // namespace

bool StreamedElement::Get(double& number) {
  return IsPlainNumber(value_.raw_json_token()) &&
         Take(value_.get_double().get(number) == simdjson::SUCCESS);
}

bool StreamedElement::PassOver(int levels) {
  std::string_view text;
  bool flag = false;
  switch (value_.raw_json_token().front()) {
    case '{':
      return levels > 0 && EachField([levels](std::string_view /*key*/, StreamedElement& value) {
                             return value.Finish(levels - 1);
                           }) == Visited::kAll;
    case '[':
      return levels > 0 && EachItem([levels](StreamedElement& item) {
                             return item.Finish(levels - 1);
                           }) == Visited::kAll;
    case '"': return Get(text);
    case 't':
    case 'f': return Get(flag);
    case 'n': return IsNull();
    default: return PassOverNumber();
  }
}

// The library steps over a number that is left unread.
bool StreamedElement::PassOverNumber() {
  std::int64_t whole = 0;
  std::uint64_t count = 0;
  return IsPlainNumber(value_.raw_json_token()) || Get(whole) || Get(count);
}

}  // namespace jettison
