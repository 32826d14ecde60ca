#include "api/route.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/kubernetes/status_object.h"
#include "core/text/spelling.h"

namespace jettison {
namespace {

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The first part of `text` up to the separator, which is taken off with it.
std::string_view TakePart(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return Trimmed(part);
}

bool MatchesPath(const Route& route, std::string_view path, std::string_view& rest) {
  if (!route.path.ends_with('*')) return route.path == path;
  const std::string_view start = route.path.substr(0, route.path.size() - 1);
  if (!path.starts_with(start)) return false;
  rest = path.substr(start.size());
  return !rest.empty() && rest.find('/') == std::string_view::npos;
}

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) words.push_back(TakePart(text, ' '));
  return words;
}

HttpResponse UnknownPath(const std::vector<Route>& routes, std::string_view path) {
  std::vector<std::string_view> paths;
  for (const Route& route : routes) {
    if (paths.empty() || paths.back() != route.path) paths.push_back(route.path);
  }
  return StatusAnswer(404, fmt::format("there is no endpoint \"{}\"{}; the endpoints are: {}", path,
                                       DidYouMean(path, paths), fmt::join(paths, " ")));
}

HttpResponse WrongMethod(const HttpRequest& request, std::string_view allowed) {
  HttpResponse answer = StatusAnswer(405, fmt::format("{} is not allowed at {}; allowed: {}",
                                                      request.method, request.path, allowed));
  answer.headers.emplace_back("Allow", std::string(allowed));
  return answer;
}

std::optional<HttpResponse> WrongParameter(const Route& route, const HttpRequest& request) {
  const std::vector<std::string_view> known = Words(route.parameters);
  for (const auto& [name, value] : request.query) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string allowed =
        known.empty() ? "it takes none" : fmt::format("it takes: {}", Alternatives(known));
    return StatusAnswer(400, fmt::format("{} has no parameter \"{}\"{}; {}", route.path, name,
                                         DidYouMean(name, known), allowed));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> Call::Parameter(std::string_view name) const {
  const auto found = request.query.find(name);
  if (found == request.query.end()) return std::nullopt;
  return found->second;
}

bool Accepts(std::string_view accept, std::string_view type) {
  if (Trimmed(accept).empty()) return true;
  const std::string_view wanted = TakePart(type, ';');
  const std::string_view family = wanted.substr(0, wanted.find('/'));
  while (!accept.empty()) {
    std::string_view range = TakePart(accept, ',');
    const std::string_view name = TakePart(range, ';');
    if (name == "*/*" || name == wanted) return true;
    if (name.ends_with("/*") && name.substr(0, name.size() - 2) == family) return true;
  }
  return false;
}

RouteFound FindRoute(const std::vector<Route>& routes, const HttpRequest& request) {
  RouteFound found;
  std::string allowed;
  for (const Route& route : routes) {
    std::string_view rest;
    if (!MatchesPath(route, request.path, rest)) continue;
    if (route.method == request.method) {
      found = {.route = &route, .rest = rest, .refusal = {}};
      break;
    }
    allowed += fmt::format("{}{}{}", allowed.empty() ? "" : ", ", route.method,
                           route.method == "GET" ? ", HEAD" : "");
  }
  if (found.route == nullptr) {
    found.refusal =
        allowed.empty() ? UnknownPath(routes, request.path) : WrongMethod(request, allowed);
    return found;
  }
  found.refusal = WrongParameter(*found.route, request);
  const bool as_text = found.route->text_too && Accepts(request.accept, kText);
  if (!found.refusal && !as_text && !Accepts(request.accept, found.route->type)) {
    found.refusal =
        StatusAnswer(406, fmt::format("{} is answered as {}{} only; Accept asks for {}",
                                      request.path, found.route->text_too ? "text/plain or " : "",
                                      found.route->type, request.accept));
  }
  return found;
}

}  // namespace jettison
