-- SPDX-License-Identifier: MIT
-- The database of ktail export -f sqlite. Times and durations are in ns; times count from the first
-- event of the earliest trace, whose time of day is the smallest traces.begin. NULL: none, unknown.

CREATE TABLE traces (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	begin INTEGER NOT NULL -- ns since 1970-01-01 UTC
);
CREATE TABLE processes (
	id INTEGER PRIMARY KEY,
	trace INTEGER NOT NULL REFERENCES traces,
	pid INTEGER NOT NULL,
	name TEXT
);
CREATE TABLE threads (
	id INTEGER PRIMARY KEY,
	process INTEGER NOT NULL REFERENCES processes,
	tid INTEGER NOT NULL
);
CREATE TABLE channels (
	id INTEGER PRIMARY KEY,
	process INTEGER NOT NULL REFERENCES processes,
	client INTEGER NOT NULL,
	handle INTEGER NOT NULL,
	class TEXT
);
CREATE TABLE events (
	id INTEGER PRIMARY KEY, -- in the order in which events were recorded
	kind TEXT NOT NULL, -- call, ioctl, doorbell, access, map, wait, other
	name TEXT NOT NULL,
	detail TEXT, -- command or class of an ioctl, work of a doorbell, error
	thread INTEGER NOT NULL REFERENCES threads,
	time INTEGER NOT NULL, -- when it began
	duration INTEGER NOT NULL,
	call INTEGER REFERENCES events, -- the innermost call around it
	channel INTEGER REFERENCES channels -- of a doorbell
);
-- What one doorbell submitted to one channel.
CREATE TABLE submissions (
	id INTEGER PRIMARY KEY,
	channel INTEGER NOT NULL REFERENCES channels,
	doorbell INTEGER REFERENCES events,
	call INTEGER REFERENCES events, -- the innermost call around the doorbell
	submitted INTEGER NOT NULL,
	completed INTEGER, -- when the program noticed that it was done
	evidence TEXT, -- run, poll, notice or interrupt (ktail-annotate(1))
	work TEXT NOT NULL, -- kind of work
	bytes INTEGER NOT NULL, -- of commands
	copied INTEGER NOT NULL, -- bytes
	launches INTEGER NOT NULL,
	kernel TEXT, -- the first
	dwords TEXT -- the commands, with --with-data
);
CREATE TABLE commands (
	id INTEGER PRIMARY KEY, -- in the order of each submission
	submission INTEGER NOT NULL REFERENCES submissions,
	kind TEXT NOT NULL, -- as ktail decode names them
	class TEXT, -- of the engine
	bytes INTEGER NOT NULL -- written by a copy
);

-- With --fsm: the machine's states, and the words of the traces as paths through them.
CREATE TABLE states (
	id INTEGER PRIMARY KEY, -- as in the machine's file
	visits INTEGER NOT NULL, -- by the words that the machine was inferred from
	label TEXT, -- ktail annotate
	phase TEXT
);
CREATE TABLE words (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	letters INTEGER NOT NULL,
	fitting INTEGER NOT NULL -- letters before the first that does not fit the machine
);
CREATE TABLE visits (
	word INTEGER NOT NULL REFERENCES words,
	position INTEGER NOT NULL, -- of the letter in the word, from 0
	letter TEXT, -- NULL: the machine does not have it
	event INTEGER REFERENCES events,
	source INTEGER REFERENCES states, -- the state before the letter; NULL: it does not fit
	target INTEGER REFERENCES states,
	PRIMARY KEY (word, position)
) WITHOUT ROWID;

CREATE INDEX visits_of_event ON visits (event);
CREATE INDEX events_of_call ON events (call);
CREATE INDEX submissions_of_call ON submissions (call);
CREATE INDEX commands_of_submission ON commands (submission);

-- API calls, with what is directly inside them. As in ktail stats, self is the time without calls
-- inside.
CREATE VIEW calls AS
SELECT e.id, e.name, e.detail, e.thread, e.time, e.duration, e.call AS outer,
	e.duration - coalesce((SELECT sum(i.duration) FROM events i
		WHERE i.call = e.id AND i.kind = 'call'), 0) AS self,
	(SELECT count(*) FROM events i WHERE i.call = e.id AND i.kind = 'ioctl') AS ioctls,
	coalesce((SELECT sum(i.duration) FROM events i
		WHERE i.call = e.id AND i.kind = 'ioctl'), 0) AS ioctl_time,
	(SELECT count(*) FROM events i WHERE i.call = e.id AND i.kind = 'doorbell') AS doorbells,
	coalesce((SELECT sum(s.bytes) FROM submissions s WHERE s.call = e.id), 0) AS bytes
FROM events e
WHERE e.kind = 'call';

-- A row for each function.
CREATE VIEW call_totals AS
SELECT name, count(*) AS calls, sum(duration) AS time, sum(self) AS self, sum(ioctls) AS ioctls,
	sum(ioctl_time) AS ioctl_time, sum(doorbells) AS doorbells, sum(bytes) AS bytes
FROM calls
GROUP BY name;

-- Each submission with its channel, its call, and the time until its completion was noticed.
CREATE VIEW latencies AS
SELECT s.id, s.work, e.name AS call, printf('0x%x', c.handle) AS channel, s.submitted, s.completed,
	s.completed - s.submitted AS latency, s.evidence
FROM submissions s
JOIN channels c ON c.id = s.channel
LEFT JOIN events e ON e.id = s.call;

-- For each submission, how many were under way on its channel when it was submitted, with itself.
CREATE VIEW queue_depths AS
SELECT id, channel, time AS submitted, depth
FROM (
	SELECT id, channel, time, sum(step) OVER (PARTITION BY channel ORDER BY time) AS depth
	FROM (
		SELECT id, channel, submitted AS time, 1 AS step FROM submissions
		WHERE completed IS NOT NULL
		UNION ALL
		SELECT NULL, channel, completed, -1 FROM submissions WHERE completed IS NOT NULL
	)
)
WHERE id IS NOT NULL;

-- How long words stay in each state: from the letter that leads there to the next one.
CREATE VIEW state_times AS
SELECT v.target AS state, s.label, count(*) AS visits, sum(n.time - e.time) AS time
FROM visits v
JOIN visits w ON w.word = v.word AND w.position = v.position + 1
JOIN events e ON e.id = v.event
JOIN events n ON n.id = w.event
JOIN states s ON s.id = v.target
GROUP BY v.target;
