#include "cli/shadow/shadow.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cli/ask/ask_agent.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text_line.h"
#include "codec/documents/form_reader.h"
#include "codec/documents/json.h"
#include "core/shadow/shadow_pairing.h"

namespace jettison {
namespace {

constexpr std::size_t kMostRows = 20;
// Where the columns of the table begin.
constexpr std::size_t kVerdictAt = 10;
constexpr std::size_t kLeadAt = 26;
constexpr std::size_t kResourceAt = 38;
constexpr std::size_t kOursAt = 57;

std::string_view WordsOf(ShadowVerdict verdict) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"agreed", "too late", "other victim", "ours alone", "kubelet alone"});
  return kWords[static_cast<std::size_t>(verdict)];
}

Ink InkOf(ShadowVerdict verdict) {
  if (verdict == ShadowVerdict::kAgreed) return Ink::kGood;
  return verdict == ShadowVerdict::kOursAlone ? Ink::kPlain : Ink::kWarning;
}

std::string PodText(const ShadowPod& pod) {
  return pod.namespace_.empty() ? pod.name : pod.namespace_ + "/" + pod.name;
}

std::string ResourceText(const ShadowSide& side) {
  if (side.signal) return std::string(NameOf(*side.signal));
  return side.resource ? std::string(NameOf(*side.resource)) : "a limit of the pod";
}

const ShadowSide& EitherOf(const ShadowPairing& pairing) {
  return pairing.ours ? *pairing.ours : *pairing.kubelets;
}

std::string PodsText(const ShadowPairing& pairing) {
  const std::string of_either = PodText(EitherOf(pairing).pod);
  if (pairing.verdict != ShadowVerdict::kOtherVictim || !pairing.kubelets) {
    return of_either + (pairing.pod_ended ? ", which ended for another reason" : "");
  }
  return fmt::format("{}, the kubelet {}", of_either, PodText(pairing.kubelets->pod));
}

std::string LeadText(const ShadowPairing& pairing) {
  if (!pairing.lead) return "-";
  const bool is_later = *pairing.lead < Duration::zero();
  return SecondsText(is_later ? -*pairing.lead : *pairing.lead) + (is_later ? " late" : "");
}

TextLine RowOf(const ShadowPairing& pairing) {
  TextLine line;
  line.Add(ClockText(EitherOf(pairing).at), Ink::kFaint).To(kVerdictAt);
  line.Add(WordsOf(pairing.verdict), InkOf(pairing.verdict)).To(kLeadAt);
  line.Add(LeadText(pairing)).To(kResourceAt);
  line.Add(ResourceText(EitherOf(pairing))).To(kOursAt);
  return line.Add(PodsText(pairing));
}

TextLine SummaryLine(const ShadowView& view) {
  TextLine line;
  if (!view.agreement)
    return line.Add("Nothing to compare yet: neither the agent nor the kubelet has evicted a pod.");
  const ShadowCounters& counters = view.counters;
  line.Add(fmt::format("Agreement {}.{:02}%", *view.agreement / 100, *view.agreement % 100),
           Ink::kStrong);
  for (const ShadowVerdict verdict : kAllShadowVerdicts) {
    line.Add(fmt::format("  {} {}", WordsOf(verdict), counters.Of(verdict)));
  }
  return line;
}

// By how much we were earlier where both evicted the same pod.
std::string Leads(const ShadowCounters& counters) {
  const std::uint64_t agreed = counters.Of(ShadowVerdict::kAgreed);
  if (agreed == 0 || !counters.shortest_lead || !counters.longest_lead) return "";
  const Duration mean = counters.lead_sum / static_cast<Duration::rep>(agreed);
  return fmt::format("The agent was earlier by {} on average, from {} to {}", SecondsText(mean),
                     SecondsText(*counters.shortest_lead), SecondsText(*counters.longest_lead));
}

TextLine Waiting(const ShadowSide& side, std::string_view whose) {
  TextLine line;
  line.Add(ClockText(side.at), Ink::kFaint).To(kVerdictAt).Add(whose).To(kResourceAt);
  return line.Add(ResourceText(side)).To(kOursAt).Add(PodText(side.pod));
}

struct ShadowOptions {
  AskOptions ask;
  std::string output = "text";
};

int RunShadow(const ShadowOptions& options) {
  const auto answer = AskAgent(options.ask, "/api/v1/shadow");
  if (!answer) return ReportUnanswered(answer.error());
  if (options.output == "json") return PrintData(*answer);
  const auto view = ReadShadow(*answer);
  if (!view) return ReportUnanswered({ErrorCode::kInternal, view.error().message});
  return PrintData(ShadowText(*view, ColumnsOfStandardOutput(), HasColors()));
}

constexpr const char* kFooter =
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

std::string ShadowText(const ShadowView& view, std::size_t columns, bool colored) {
  std::string text;
  const auto put = [&](const TextLine& line) { text += line.Render(columns, colored) + "\n"; };
  put(SummaryLine(view));
  if (const std::string leads = Leads(view.counters); !leads.empty()) put(TextLine().Add(leads));
  if (view.pairings.empty() && view.open.empty() && view.kubelets_open.empty()) return text;
  text += "\n";
  TextLine heading("AT", Ink::kFaint);
  heading.To(kVerdictAt).Add("VERDICT", Ink::kFaint).To(kLeadAt).Add("EARLIER", Ink::kFaint);
  put(heading.To(kResourceAt).Add("FOR", Ink::kFaint).To(kOursAt).Add("POD", Ink::kFaint));
  for (const ShadowSide& side : view.open) put(Waiting(side, "ours, still open"));
  for (const ShadowSide& side : view.kubelets_open) put(Waiting(side, "the kubelet's, still open"));
  std::size_t rows = 0;
  for (auto at = view.pairings.rbegin(); at != view.pairings.rend() && rows < kMostRows; ++at) {
    // What another version sends may have neither side.
    if (!at->ours && !at->kubelets) continue;
    put(RowOf(*at));
    ++rows;
  }
  return text;
}

Result<ShadowView> ReadShadow(std::string_view json) {
  const auto document = ParseJson(json);
  if (!document) return Fail(document.error().In("the agent's comparison with the kubelet"));
  if (document->Find("counters") == nullptr || document->Find("at") == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                "the agent's comparison with the kubelet has no counters");
  }
  FormReader fields(*document);
  ShadowView view;
  VisitFields(fields, view);
  return view;
}

void AddShadow(CLI::App& app, int& exit_code) {
  const auto [command, options] =
      AddCommand(app, exit_code, "shadow",
                 "Compare what a dry run would have evicted with what the kubelet evicted", kFooter,
                 RunShadow);
  AddOutput(command, options.output);
  AddAskOptions(command, options.ask);
}

}  // namespace jettison
