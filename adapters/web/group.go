package web

import (
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/share"
)

// groupState is the JSON form of the group, as the member of this program knows it. The shares are
// in the words of package share.
type groupState struct {
	Member string `json:"member"` // the name of this one
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"` // why it is no member
	Error  string `json:"lastError,omitempty"`
	Share  string `json:"share"`
	Slots  int    `json:"slots"`
	// Until is the end of the lease, of a member.
	Until   time.Time     `json:"until,omitzero"`
	Members []groupMember `json:"members"`
	More    int           `json:"membersMore,omitempty"`
	// Gap counts the slots without a working member.
	Gap int `json:"gapSlots"`
}

// groupMember is one member. Renewed is the time of its last renewal that this one has learned of.
type groupMember struct {
	Name    string    `json:"name"`
	Share   string    `json:"share"`
	Slots   int       `json:"slots"`
	Renewed time.Time `json:"renewed"`
	Late    bool      `json:"late,omitempty"`
}

// group returns the group of the collector, nil without one.
//
//test:by TestGroup TestGroupTrouble TestGroupMany
func (h *Handler) group(now time.Time) *groupState {
	if h.config.Group == nil {
		return nil
	}
	s := h.config.Group()
	g := &groupState{
		Member: clean(s.Name), State: s.State.String(), Reason: clean(s.Reason), Share: s.Share.String(), Slots: s.Share.Len(),
		Members: []groupMember{}, More: max(len(s.Members)-maxRows, 0), Gap: s.Gap.Len(),
	}
	if s.Err != nil {
		g.Error = clean(s.Err.Error())
	}
	if s.State == group.StateMember {
		g.Until = now.Add(s.Left)
	}
	for _, m := range s.Members[:len(s.Members)-g.More] {
		g.Members = append(g.Members, groupMember{clean(m.Name), m.Share.String(), m.Share.Len(), now.Add(-m.Age), m.Late})
	}
	return g
}

// memberOf returns the name of the member that works on an object, "" if no member is known.
//
//test:by TestGroup
func (h *Handler) memberOf(uid graph.UID) string {
	if h.config.Group == nil || uid == "" {
		return ""
	}
	for _, m := range h.config.Group().Members {
		if m.Share.Has(uid) {
			return clean(m.Name)
		}
	}
	return ""
}

// Trouble says why objects wait for a member, for a template. It is empty if none do.
func (g *groupState) Trouble() string {
	switch {
	case g.State != group.StateMember.String():
		return fmt.Sprintf("no member of its group (%s): %s", g.State, g.Reason)
	case g.Gap > 0:
		return fmt.Sprintf("%s of %s slots have no working member", count(g.Gap), count(share.Slots))
	}
	return ""
}
