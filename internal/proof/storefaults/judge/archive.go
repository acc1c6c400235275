package judge

import "github.com/ownergraph/ownergraph/graph"

// entries judges the archive. Each object that is gone has one entry, and no other object has one.
func (j *judging) entries() {
	if !j.content.Archive {
		return
	}
	count := map[graph.UID]int{}
	for _, e := range j.content.Entries {
		count[e.UID]++
		o, lives := j.live[e.UID]
		birth := j.births[e.UID]
		switch {
		case lives:
			j.add("archive", "%s lives, and has an entry", o)
		case birth == nil:
			j.add("archive", "uid %s has an entry, and no user created it", e.UID)
		case e.Row != birth.Payload:
			j.add("archive", "%s has a row: %t, and its entry: %t", birth, birth.Payload, e.Row)
		default:
			j.word(e, birth)
		}
	}
	for _, uid := range j.order {
		if _, lives := j.live[uid]; !lives && j.ended(uid) && count[uid] != 1 {
			j.add("archive", "%s is gone, and has %d entries", j.births[uid], count[uid])
		}
	}
}

// word judges whether an entry is explicit. The deletions of agents are not in the history.
func (j *judging) word(e Entry, birth *Call) {
	certain := false
	for _, c := range j.deletes[e.UID] {
		certain = certain || c.Outcome == Done
	}
	switch {
	case certain && !e.Explicit:
		j.add("archive", "%s: a user deleted it, and its entry is not explicit", birth)
	case e.Explicit && !j.content.Agents && j.deletion(e.UID) == nil:
		j.add("archive", "%s: no user deleted it, and its entry is explicit", birth)
	}
}

// ended reports whether the history has the end of an object.
func (j *judging) ended(uid graph.UID) bool {
	for _, c := range j.content.Changes {
		if c.Gone && c.Object.UID == uid {
			return true
		}
	}
	return false
}
