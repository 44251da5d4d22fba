# SPDX-License-Identifier: MIT
# Whether initiation and completion are transitions of their own in an annotated machine: the
# shares of its requests, in percent, that
# - initiation: were submitted at a transition that is not a self-loop and submits each time,
# - completion: were noticed at a transition that is not a self-loop and notices each time,
# - both: both,
# - polled: were submitted so, and noticed at an R:poll (alphabet `roles`) that is not a self-loop.
# `loops` counts doorbells on self-loops.
# Usage: jq -f points.jq MACHINE.json, from `ktail annotate -o MACHINE.json`
def submits: (.letter == "W:reg" or (.letter | startswith("W:doorbell")));
.transitions as $t
| [.annotation.requests.points[]
   | (if .doorbell_transition then $t[.doorbell_transition] else null end) as $from
   | (if .poll_transition then $t[.poll_transition] else null end) as $to
   | {requests,
      initiation: ($from != null and $from.from != $from.to and $from.initiates >= $from.count),
      completion: ($to != null and $to.from != $to.to and $to.notices >= $to.count),
      polled: ($to != null and $to.from != $to.to and $to.letter == "R:poll")}] as $points
| ([$points[].requests] | add) as $all
| def share(f): 1000 * ([$points[] | select(f).requests] | add // 0) / $all | round / 10;
  {requests: $all,
   initiation: share(.initiation),
   completion: share(.completion),
   both: share(.initiation and .completion),
   polled: share(.initiation and .polled),
   loops: ([$t[] | select(submits and .from == .to).count] | add // 0)}
