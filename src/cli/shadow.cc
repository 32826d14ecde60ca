#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/ask/ask_agent.h"
#include "cli/commands.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text_line.h"
#include "core/shadow/shadow_book.h"

namespace jettison {
namespace {

constexpr std::size_t kMostRows = 20;

std::string_view WordsOf(ShadowVerdict verdict) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"agreed", "too late", "other victim", "ours alone", "kubelet alone"});
  return kWords[static_cast<std::size_t>(verdict)];
}

Ink InkOf(ShadowVerdict verdict) {
  if (verdict == ShadowVerdict::kAgreed) return Ink::kGood;
  return verdict == ShadowVerdict::kOursAlone ? Ink::kPlain : Ink::kWarning;
}

std::string ResourceText(const ShadowSide& side) {
  if (side.signal) return std::string(NameOf(*side.signal));
  return side.resource ? std::string(NameOf(*side.resource)) : "a limit of the pod";
}

const ShadowSide& EitherOf(const ShadowPairing& pairing) {
  return pairing.ours ? *pairing.ours : *pairing.kubelets;
}

std::string PodsText(const ShadowPairing& pairing) {
  const std::string of_either = EitherOf(pairing).pod.FullName();
  if (pairing.verdict != ShadowVerdict::kOtherVictim || !pairing.kubelets) {
    return of_either + (pairing.pod_ended ? ", which ended for another reason" : "");
  }
  return fmt::format("{}, the kubelet {}", of_either, pairing.kubelets->pod.FullName());
}

std::string LeadText(const ShadowPairing& pairing) {
  if (!pairing.lead) return "-";
  const bool is_later = *pairing.lead < Duration::zero();
  return SpanText(is_later ? -*pairing.lead : *pairing.lead) + (is_later ? " late" : "");
}

using Row = std::vector<TextLine>;

Row RowOf(const ShadowSide& side, TextLine verdict, std::string_view lead, std::string_view pods) {
  return {TextLine(ClockText(side.at), Ink::kFaint), std::move(verdict), TextLine(lead),
          TextLine(ResourceText(side)), TextLine(pods)};
}

TextLine SummaryLine(const ShadowView& view) {
  TextLine line;
  if (!view.agreement)
    return line.Add("Nothing to compare yet: neither the agent nor the kubelet has evicted a pod.");
  const ShadowCounters& counters = view.counters;
  line.Add(fmt::format("Agreement {}.{:02}%", *view.agreement / 100, *view.agreement % 100),
           Ink::kStrong);
  for (const ShadowVerdict verdict : kAllOf<ShadowVerdict>) {
    line.Add(fmt::format("  {} {}", WordsOf(verdict), counters.Of(verdict)));
  }
  return line;
}

// By how much we were earlier where both evicted the same pod.
std::string Leads(const ShadowCounters& counters) {
  const std::uint64_t agreed = counters.Of(ShadowVerdict::kAgreed);
  if (agreed == 0 || !counters.shortest_lead || !counters.longest_lead) return "";
  const Duration mean = counters.lead_sum / static_cast<Duration::rep>(agreed);
  return fmt::format("The agent was earlier by {} on average, from {} to {}", SpanText(mean),
                     SpanText(*counters.shortest_lead), SpanText(*counters.longest_lead));
}

// How many pairings agree and by how much Jettison was earlier, what still waits, and the last
// pairings, the newest first.
std::vector<TextLine> LinesOf(const ShadowView& view) {
  std::vector<TextLine> lines = {SummaryLine(view)};
  if (const std::string leads = Leads(view.counters); !leads.empty()) lines.emplace_back(leads);
  std::vector<Row> rows;
  for (const ShadowSide& side : view.open) {
    rows.push_back(RowOf(side, TextLine("ours, still open"), "", side.pod.FullName()));
  }
  for (const ShadowSide& side : view.kubelets_open) {
    rows.push_back(RowOf(side, TextLine("the kubelet's, still open"), "", side.pod.FullName()));
  }
  const std::size_t most = rows.size() + kMostRows;
  for (auto at = view.pairings.rbegin(); at != view.pairings.rend() && rows.size() < most; ++at) {
    // What another version sends may have neither side.
    if (!at->ours && !at->kubelets) continue;
    rows.push_back(RowOf(EitherOf(*at), TextLine(WordsOf(at->verdict), InkOf(at->verdict)),
                         LeadText(*at), PodsText(*at)));
  }
  if (rows.empty()) return lines;
  lines.emplace_back();
  std::ranges::move(TableLines({{.header = "AT"},
                                {.header = "VERDICT"},
                                {.header = "EARLIER"},
                                {.header = "FOR"},
                                {.header = "POD"}},
                               std::move(rows), ColumnsOfStandardOutput()),
                    std::back_inserter(lines));
  return lines;
}

struct ShadowOptions {
  AskOptions ask;
  std::string output = "text";
};

int RunShadow(const ShadowOptions& options) {
  const auto answer = AskAgent(options.ask, "/api/v1/shadow");
  if (!answer) return Report(answer.error());
  if (options.output == "json") return PrintData(*answer);
  const auto view = ReadAnswer<ShadowView>(*answer, "comparison with the kubelet", "counters");
  if (!view) return Report(view.error());
  std::string text;
  for (const TextLine& line : LinesOf(*view)) {
    text += line.Render(ColumnsOfStandardOutput(), HasColors()) + "\n";
  }
  return PrintData(text);
}

constexpr const char* kShadowFooter =
    "In shadow mode (source: kubernetes with dryRun: true) the agent evicts no pod. It notes "
    "which\n"
    "ones it would have evicted, and compares them with the pods that the kubelet then evicts.\n"
    "\n"
    "Examples:\n"
    "  jettison shadow\n"
    "  jettison shadow --output json | jq '.counters'\n"
    "  jettison shadow --output json | jq '.pairings[] | select(.verdict != \"agreed\")'\n"
    "\n"
    "Exit status: 0 done, 1 the agent could not be asked or is not in shadow mode, 2 wrong usage.";

}  // namespace

void AddShadow(CLI::App& app, int& exit_code) {
  const auto [command, options] =
      AddCommand(app, exit_code, "shadow",
                 "Compare what a dry run would have evicted with what the kubelet evicted",
                 kShadowFooter, RunShadow);
  AddOutput(command, options.output);
  AddAskOptions(command, options.ask);
}

}  // namespace jettison
