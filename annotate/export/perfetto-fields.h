/* SPDX-License-Identifier: MIT */
/*
 * The fields of Perfetto's trace format that an export uses, and their numbers. Source:
 * protos/perfetto/trace in github.com/google/perfetto; the files are trace.proto,
 * trace_packet.proto, clock_snapshot.proto, interned_data/interned_data.proto, and in
 * track_event/ track_event.proto, track_descriptor.proto, process_descriptor.proto,
 * thread_descriptor.proto, counter_descriptor.proto and debug_annotation.proto.
 */
#ifndef KTAIL_ANNOTATE_PERFETTO_FIELDS_H
#define KTAIL_ANNOTATE_PERFETTO_FIELDS_H

/* X(message, field, number) */
#define KT_PERFETTO_FIELDS(X)                                                              \
	X(Trace, packet, 1)                                                                \
	X(TracePacket, clock_snapshot, 6)                                                  \
	X(TracePacket, timestamp, 8)                                                       \
	X(TracePacket, trusted_packet_sequence_id, 10)                                     \
	X(TracePacket, track_event, 11)                                                    \
	X(TracePacket, interned_data, 12)                                                  \
	X(TracePacket, sequence_flags, 13)                                                 \
	X(TracePacket, track_descriptor, 60)                                               \
	X(TracePacket, first_packet_on_sequence, 87)                                       \
	X(ClockSnapshot, clocks, 1)                                                        \
	X(ClockSnapshot, primary_trace_clock, 2)                                           \
	X(Clock, clock_id, 1)                                                              \
	X(Clock, timestamp, 2)                                                             \
	X(InternedData, event_categories, 1)                                               \
	X(InternedData, event_names, 2)                                                    \
	X(InternedData, debug_annotation_names, 3)                                         \
	X(EventCategory, iid, 1)                                                           \
	X(EventCategory, name, 2)                                                          \
	X(EventName, iid, 1)                                                               \
	X(EventName, name, 2)                                                              \
	X(DebugAnnotationName, iid, 1)                                                     \
	X(DebugAnnotationName, name, 2)                                                    \
	X(TrackDescriptor, uuid, 1)                                                        \
	X(TrackDescriptor, name, 2)                                                        \
	X(TrackDescriptor, process, 3)                                                     \
	X(TrackDescriptor, thread, 4)                                                      \
	X(TrackDescriptor, parent_uuid, 5)                                                 \
	X(TrackDescriptor, counter, 8)                                                     \
	X(ProcessDescriptor, pid, 1)                                                       \
	X(ProcessDescriptor, process_name, 6)                                              \
	X(ThreadDescriptor, pid, 1)                                                        \
	X(ThreadDescriptor, tid, 2)                                                        \
	X(ThreadDescriptor, thread_name, 5)                                                \
	X(CounterDescriptor, unit, 3)                                                      \
	X(TrackEvent, category_iids, 3)                                                    \
	X(TrackEvent, debug_annotations, 4)                                                \
	X(TrackEvent, type, 9)                                                             \
	X(TrackEvent, name_iid, 10)                                                        \
	X(TrackEvent, track_uuid, 11)                                                      \
	X(TrackEvent, counter_value, 30)                                                   \
	X(TrackEvent, flow_ids, 47)                                                        \
	X(TrackEvent, terminating_flow_ids, 48)                                            \
	X(DebugAnnotation, name_iid, 1)                                                    \
	X(DebugAnnotation, uint_value, 3)                                                  \
	X(DebugAnnotation, string_value, 6)

enum {
#define FIELD(message, field, number) KT_##message##_##field = (number),
	KT_PERFETTO_FIELDS(FIELD)
#undef FIELD
};

/* Values of TrackEvent.type, TracePacket.sequence_flags, CounterDescriptor.unit, clock_id.
 */
enum {
	KT_TYPE_SLICE_BEGIN = 1,
	KT_TYPE_SLICE_END = 2,
	KT_TYPE_INSTANT = 3,
	KT_TYPE_COUNTER = 4,

	KT_SEQ_INCREMENTAL_STATE_CLEARED = 1,
	KT_SEQ_NEEDS_INCREMENTAL_STATE = 2,

	KT_UNIT_COUNT = 2,

	KT_CLOCK_REALTIME = 1,
	KT_CLOCK_BOOTTIME = 6,
};

#endif
