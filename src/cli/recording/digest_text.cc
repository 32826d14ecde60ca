#include "cli/recording/digest_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <string_view>

#include "core/json/json_writer.h"
#include "core/text/printable.h"

namespace jettison {
namespace {

template <typename... Args>
void Line(std::string& out, std::string_view name, fmt::format_string<Args...> text,
          Args&&... args) {
  fmt::format_to(std::back_inserter(out), "{:<12}", name);
  out += Printable(fmt::format(text, std::forward<Args>(args)...)) + '\n';
}

void More(std::string& out, std::uint64_t count, std::size_t told) {
  if (count > told) Line(out, "", "and {} more", count - told);
}

void PutGaps(std::string& out, const RecordingDigest& digest) {
  for (const DigestGap& gap : digest.gaps) {
    Line(out, "gap", "{} to {}: {}", FormatInstant(gap.from), FormatInstant(gap.to), gap.why);
  }
  More(out, digest.gap_count, digest.gaps.size());
  for (const DigestGap& step : digest.clock_steps) {
    Line(out, "clock", "set back from {} to {}", FormatInstant(step.from), FormatInstant(step.to));
  }
  More(out, digest.clock_step_count, digest.clock_steps.size());
}

void PutGaps(std::string_view name, const std::vector<DigestGap>& gaps, JsonWriter& json) {
  json.Array(name, [&] {
    for (const DigestGap& gap : gaps) {
      json.Object([&] {
        json.Field("from", FormatInstant(gap.from));
        json.Field("to", FormatInstant(gap.to));
        json.Field("why", gap.why);
      });
    }
  });
}

void PutCounts(const RecordingDigest& digest, JsonWriter& json) {
  json.Field("passes", digest.passes);
  json.Field("actingPasses", digest.acting_passes);
  json.Field("evictions", digest.evictions);
  json.Field("oomKills", digest.oom_kills);
  json.Field("reclaims", digest.reclaims);
  json.Field("pods", digest.pods.size());
  json.Field("policies", digest.policies);
  json.Field("starts", digest.start_count);
  json.Field("gapCount", digest.gap_count);
  json.Field("clockSteps", digest.clock_step_count);
}

void PutStarts(const std::vector<RecordingAbout>& starts, JsonWriter& json) {
  json.Array("agentStarts", [&] {
    for (const RecordingAbout& start : starts) {
      json.Object([&] {
        json.Field("at", FormatInstant(start.at));
        json.Field("maker", start.maker);
        json.Field("node", start.node);
      });
    }
  });
}

void PutEvicted(const std::vector<DigestEviction>& evicted, JsonWriter& json) {
  json.Array("evicted", [&] {
    for (const DigestEviction& eviction : evicted) {
      json.Object([&] {
        json.Field("uid", eviction.pod_uid);
        json.Field("at", FormatInstant(eviction.at));
        json.Field("message", eviction.message);
      });
    }
  });
}

void PutBytes(const RecordingFound& found, JsonWriter& json) {
  json.Field("bytes", found.bytes);
  json.Field("chunks", found.chunks);
  json.Field("damagedBytes", found.damaged_bytes);
  json.Field("missingChunks", found.chunks_missing);
}

}  // namespace

std::string DigestText(const RecordingDigest& digest, const RecordingFound* found) {
  std::string out;
  Line(out, "node", "{}", fmt::join(digest.nodes, ", "));
  if (digest.nodes.size() > 1) Line(out, "", "this is the recording of several nodes");
  if (digest.from) {
    Line(out, "from", "{}", FormatInstant(*digest.from));
    Line(out, "to", "{}", FormatInstant(*digest.to));
  }
  for (const RecordingAbout& start : digest.starts) {
    Line(out, "start", "{} by {} on {}", FormatInstant(start.at), start.maker, start.node);
  }
  More(out, digest.start_count, digest.starts.size());
  Line(out, "passes", "{}, of which {} acted for a threshold", digest.passes, digest.acting_passes);
  Line(out, "pods", "{}", digest.pods.size());
  Line(out, "policies", "{}", digest.policies);
  Line(out, "reclaims", "{}", digest.reclaims);
  Line(out, "OOM kills", "{}", digest.oom_kills);
  Line(out, "evictions", "{}", digest.evictions);
  for (const DigestEviction& eviction : digest.evicted) {
    Line(out, "", "{}: {}", eviction.pod_uid, eviction.message);
  }
  More(out, digest.evictions, digest.evicted.size());
  PutGaps(out, digest);
  for (const std::string& note : digest.notes) Line(out, "note", "{}", note);
  More(out, digest.note_count, digest.notes.size());
  if (found != nullptr) {
    Line(out, "size", "{} bytes in {} chunks", found->bytes, found->chunks);
    if (found->damaged_bytes > 0) Line(out, "damaged", "{} bytes", found->damaged_bytes);
  }
  for (const std::string& fault : digest.faults) Line(out, "fault", "{}", fault);
  More(out, digest.fault_count, digest.faults.size());
  return out;
}

std::string DigestJson(const RecordingDigest& digest, const RecordingFound* found) {
  std::string out;
  JsonWriter json(out, 2);
  json.Object([&] {
    json.Array("nodes", [&] {
      for (const std::string& node : digest.nodes) json.String(node);
    });
    if (digest.from) {
      json.Field("from", FormatInstant(*digest.from));
      json.Field("to", FormatInstant(*digest.to));
    }
    PutCounts(digest, json);
    PutStarts(digest.starts, json);
    PutEvicted(digest.evicted, json);
    PutGaps("gaps", digest.gaps, json);
    PutGaps("setBack", digest.clock_steps, json);
    json.Field("noteCount", digest.note_count);
    json.Array("notes", [&] {
      for (const std::string& note : digest.notes) json.String(note);
    });
    if (found != nullptr) PutBytes(*found, json);
    json.Field("faultCount", digest.fault_count);
    json.Array("faults", [&] {
      for (const std::string& fault : digest.faults) json.String(fault);
    });
  });
  out += '\n';
  return out;
}

}  // namespace jettison
