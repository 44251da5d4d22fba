#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests the analysis for Trace Compass: it is XML; its events and their fields are in a recorded trace;
# locations, states and analyses that it refers to are defined. With SCHEMA, a copy of Trace Compass's
# xmlDefinition.xsd, it is also checked against that schema (docs/internals/export.md).
# Usage: check-trace-compass.sh ANALYSIS CORPUS [SCHEMA]
analysis=$1 corpus=$2 schema=${3:-}
failures=0

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# values XPATH: prints the values of the attributes that the path selects
values() {
	xmllint --xpath "$1" "$analysis" 2>/dev/null | sed 's/^ *[a-zA-Z]*="//; s/"$//' | sort -u
}

xmllint --noout ${schema:+--schema "$schema"} "$analysis" || fail "the form of $analysis"

babeltrace2 "$corpus/calls/graphs-50" > "${TMPDIR:-/tmp}/events.$$" 2>/dev/null
trap 'rm -f "${TMPDIR:-/tmp}/events.$$"' EXIT
events=$(values '//eventHandler/@eventName')
[ "$(wc -w <<< "$events")" = 3 ] || fail "handlers: $events"
for event in $events; do
	line=$(grep -m1 " $event: " "${TMPDIR:-/tmp}/events.$$") || fail "no trace has $event"
	# Fields of the handler itself, and those of the locations that it uses.
	for field in $(values "//eventHandler[@eventName='$event']//*[@type='eventField']/@value") \
		$(for location in $(values "//eventHandler[@eventName='$event']//*[@type='location']/@value"); do
			values "//location[@id='$location']//*[@type='eventField']/@value"
		done); do
		grep -q "[ {,]$field = " <<< "$line" || fail "$event has no field $field"
	done
done
for location in $(values '//*[@type="location"]/@value'); do
	[ -n "$(values "//location[@id='$location']/@id")" ] || fail "no location $location"
done
for state in $(values '//stateValue[@type="int"]/@value'); do
	number=$(values "//stateProvider/definedValue[@name='$state']/@value")
	[ -n "$number" ] || fail "no state $state"
	[ -n "$(values "//timeGraphView/definedValue[@value='$number']/@name")" ] || fail "$state has no colour"
done
for id in $(values '//analysis/@id'); do
	[ -n "$(values "//stateProvider[@id='$id']/@id")" ] || fail "no analysis $id"
done
[ $failures = 0 ]
