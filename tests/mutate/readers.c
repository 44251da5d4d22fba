/* SPDX-License-Identifier: MIT */
/* All readers, their inputs, and the commands that read them. */
#include "tests/mutate/mutate.h"

const char *const kt_preparations[] = {
	"ktail words GOOD/streams -o GOOD/words",
	"ktail --k 2 GOOD/streams -o GOOD/fsm.json -o GOOD/fsm.gv -o GOOD/fsm.graphml -o "
	"GOOD/fsm.kgrams",
	"ktail convert GOOD/fsm.json --dialect learnlib -o GOOD/learnlib.gv",
	"ktail convert GOOD/fsm.json --dialect aalpy -o GOOD/aalpy.gv",
	"ktail --k 1 GOOD/calls -o GOOD/calls.json",
	"ktail sweep --k 0-12 GOOD/streams -o GOOD/sweep.json",
	"ktail-annotate GOOD/fsm.json GOOD/streams -o GOOD/annotated.json --distil "
	"GOOD/distilled.json",
	NULL,
};

#define TRACES                                                                             \
	{                                                                                  \
		"streams", "calls", "h200"                                                 \
	}
#define READ_CTF                                                                           \
	{                                                                                  \
		"ktail --k 3 IN -o OUT.json", "ktail words IN -o OUT",                     \
			"ktail words --alphabet methods --word channel IN -o OUT",         \
			"ktail --alphabet submission --word thread --k 2 IN -o OUT.json",  \
			"ktail sweep --k 0-9 IN -o OUT.json",                              \
			"ktail check --all GOOD/fsm.json IN -o OUT.json",                  \
			"ktail diff GOOD/fsm.json IN -o OUT.json",                         \
			"ktail merge GOOD/fsm.kgrams IN -o OUT.kgrams",                    \
			"ktail-decode IN -o OUT.txt",                                      \
			"ktail-decode -f json IN -o OUT.txt",                              \
			"ktail-decode --ioctls IN -o OUT.txt",                             \
			"ktail-stats IN -o OUT.tsv",                                       \
			"ktail-annotate GOOD/fsm.json IN -o OUT.json --requests OUT.tsv",  \
			"ktail-report --k 2 IN -o OUT.json",                               \
			"ktail-export IN -o OUT.perfetto -o OUT.chrome",                   \
			"ktail-replay --accesses IN -o OUT.txt",                           \
			"ktail-top --by channel IN"                                        \
	}

const struct kt_reader kt_readers[] = {
	{"ctf-streams", KT_DAMAGE_STREAM, "", TRACES, READ_CTF},
	{"ctf-payload", KT_DAMAGE_PAYLOAD, "", TRACES, READ_CTF},
	{"ctf-metadata", KT_DAMAGE_METADATA, "", TRACES, READ_CTF},
	{"events",
	 KT_DAMAGE_TEXT,
	 ".events",
	 {"words/1.events", "words/2.events"},
	 {"ktail --k 2 IN -o OUT.json", "ktail sweep --k 0-9 IN -o OUT.json",
	  "ktail words IN -o OUT", "ktail check GOOD/fsm.json IN",
	  "ktail diff GOOD/fsm.json IN -o OUT.json", "ktail score IN GOOD/truth.json",
	  "ktail merge GOOD/fsm.kgrams IN -o OUT.kgrams",
	  "ktail --machine pta --k 2 IN -o OUT.json"}},
	{"alphabet",
	 KT_DAMAGE_TEXT,
	 ".alphabet",
	 {"alphabet"},
	 {"ktail --k 1 --alphabet IN GOOD/streams -o OUT.json",
	  "ktail words --alphabet IN GOOD/streams -o OUT"}},
	{"label-rules",
	 KT_DAMAGE_TEXT,
	 ".tsv",
	 {"labels.tsv", "states.tsv"},
	 {"ktail-annotate --rules IN GOOD/fsm.json GOOD/streams -o OUT.json"}},
	{"fsm-json",
	 KT_DAMAGE_JSON,
	 ".json",
	 {"fsm.json", "calls.json"},
	 {"ktail convert IN -o OUT.gv", "ktail convert IN -o OUT.graphml",
	  "ktail check IN GOOD/streams", "ktail diff IN GOOD/fsm.json -o OUT.json",
	  "ktail score IN GOOD/truth.json", "ktail-render -f dot IN -o OUT.dot",
	  "ktail-render -f svg IN -o OUT.svg"}},
	{"sweep-json",
	 KT_DAMAGE_JSON,
	 ".json",
	 {"sweep.json"},
	 {"ktail-render -f svg IN -o OUT.svg"}},
	{"distilled-json",
	 KT_DAMAGE_JSON,
	 ".json",
	 {"distilled.json"},
	 {"ktail-render -f svg IN -o OUT.svg", "ktail-render -f dot IN -o OUT.dot",
	  "ktail merge IN GOOD/distilled.json -o OUT.json",
	  "ktail diff GOOD/distilled.json IN -o OUT.txt"}},
	{"kgrams",
	 KT_DAMAGE_BINARY,
	 ".kgrams",
	 {"fsm.kgrams"},
	 {"ktail merge IN -o OUT.kgrams", "ktail merge IN GOOD/fsm.kgrams -o OUT.json",
	  "ktail merge --update IN GOOD/fsm.kgrams",
	  "ktail merge --update IN GOOD/streams"}},
	{"dot",
	 KT_DAMAGE_TEXT,
	 ".gv",
	 {"fsm.gv", "learnlib.gv", "aalpy.gv"},
	 {"ktail convert IN -o OUT.json", "ktail diff IN GOOD/fsm.json -o OUT.json"}},
	{"graphml",
	 KT_DAMAGE_TEXT,
	 ".graphml",
	 {"fsm.graphml"},
	 {"ktail convert IN -o OUT.json", "ktail diff IN GOOD/fsm.json -o OUT.json"}},
	{"abbadingo",
	 KT_DAMAGE_TEXT,
	 ".dat",
	 {"few.dat"},
	 {"ktail --k 2 IN -o OUT.json", "ktail check GOOD/fsm.json IN"}},
	{"truth",
	 KT_DAMAGE_JSON,
	 ".json",
	 {"truth.json"},
	 {"ktail score GOOD/fsm.json IN -o OUT.json", "ktail diff IN GOOD/fsm.json"}},
	{"cubin",
	 KT_DAMAGE_BINARY,
	 ".cubin",
	 {"75.cubin", "90.cubin"},
	 {"ktail-decode --sass --nvdisasm none IN -o OUT.txt",
	  "ktail-decode --sass --nvdisasm none -f json IN -o OUT.txt"}},
	{"fatbin",
	 KT_DAMAGE_BINARY,
	 ".fatbin",
	 {"lz4.fatbin", "zstd.fatbin"},
	 {"ktail-decode --sass --nvdisasm none IN -o OUT.txt"}},
	{"annotated",
	 KT_DAMAGE_JSON,
	 ".json",
	 {"annotated.json"},
	 {"ktail diff IN GOOD/annotated.json -o OUT.json",
	  "ktail-render -f svg IN -o OUT.svg"}},
	{"fsm-annotate",
	 KT_DAMAGE_JSON,
	 ".json",
	 {"fsm.json", "calls.json"},
	 {"ktail-annotate IN GOOD/streams -o OUT.json"}},
};

const size_t kt_readers_n = sizeof(kt_readers) / sizeof(kt_readers[0]);
