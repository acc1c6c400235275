package plan

import (
	"encoding/json"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// Schema names the JSON form of a Plan.
const Schema = "plan/v1"

// The JSON form of a Plan. The names and their order are stable.
type (
	jsonPlan struct {
		Schema         string           `json:"schema"`
		Request        jsonRequest      `json:"request,omitzero"`
		Objects        []jsonObject     `json:"objects,omitempty"`
		Steps          []jsonStep       `json:"steps,omitempty"`
		Truncated      int              `json:"truncated,omitempty"`
		StepsTruncated int              `json:"stepsTruncated,omitempty"`
		Totals         []jsonTotal      `json:"totals,omitempty"`
		Scopes         []jsonScope      `json:"scopes,omitempty"`
		Waves          int              `json:"waves,omitempty"`
		Cost           jsonCost         `json:"cost,omitzero"`
		Verdicts       []jsonVerdict    `json:"verdicts,omitempty"`
		Refusals       []jsonRefusal    `json:"refusals,omitempty"`
		Assumptions    []jsonAssumption `json:"assumptions,omitempty"`
		WithoutBlocker []jsonKey        `json:"withoutBlocker,omitempty"`
		BestEffort     bool             `json:"bestEffort,omitempty"`
		Torn           bool             `json:"torn,omitempty"`
		Busy           bool             `json:"busy,omitempty"`
		Fingerprint    string           `json:"fingerprint,omitempty"`
	}
	jsonRequest struct {
		Delete  []jsonTarget `json:"delete,omitempty"`
		Removed []string     `json:"removed,omitempty"`
		Failing []string     `json:"failing,omitempty"`
		Limit   int          `json:"limit,omitempty"`
		Strict  bool         `json:"refuseProtected,omitempty"`
	}
	jsonTarget struct {
		Key         jsonKey `json:"key"`
		Propagation string  `json:"propagation,omitempty"`
	}
	jsonKey struct {
		Kind  graph.Kind `json:"kind"`
		Scope string     `json:"scope,omitempty"`
		Name  string     `json:"name"`
		UID   graph.UID  `json:"uid,omitempty"`
	}
	jsonObject struct {
		Key       jsonKey    `json:"key"`
		Outcome   string     `json:"outcome"`
		Possible  bool       `json:"possible,omitempty"`
		Root      bool       `json:"root,omitempty"`
		Reason    string     `json:"reason,omitempty"`
		Doubt     string     `json:"doubt,omitempty"`
		Causes    []string   `json:"causes,omitempty"`
		Owners    []jsonKey  `json:"owners,omitempty"`
		Holder    jsonKey    `json:"holder,omitzero"`
		Container jsonKey    `json:"container,omitzero"`
		Wave      int        `json:"wave,omitempty"`
		Phase     int        `json:"phase,omitempty"`
		Forward   bool       `json:"forward,omitempty"`
		Edges     []jsonEdge `json:"edges,omitempty"`
		Parent    jsonKey    `json:"parent,omitzero"`
	}
	jsonEdge struct {
		Owner    jsonKey `json:"owner"`
		OnDelete string  `json:"onDelete"`
	}
	jsonRefusal struct {
		Target     jsonKey   `json:"target"`
		Dependents []jsonKey `json:"dependents,omitempty"`
		More       int       `json:"more,omitempty"`
	}
	jsonStep struct {
		Actor       string    `json:"actor"`
		Action      string    `json:"action"`
		Key         jsonKey   `json:"key"`
		Reason      string    `json:"reason,omitempty"`
		Propagation string    `json:"propagation,omitempty"`
		Finalizer   string    `json:"finalizer,omitempty"`
		Handler     bool      `json:"handler,omitempty"`
		Owners      []jsonKey `json:"owners,omitempty"`
		Removes     bool      `json:"removes,omitempty"`
		Wave        int       `json:"wave,omitempty"`
		After       []int     `json:"after,omitempty"`
		AfterMore   int       `json:"afterMore,omitempty"`
		Fence       bool      `json:"fence,omitempty"`
	}
	jsonTotal struct {
		Kind     graph.Kind `json:"kind"`
		Removed  int        `json:"removed,omitempty"`
		Orphaned int        `json:"orphaned,omitempty"`
		Trimmed  int        `json:"trimmed,omitempty"`
		Kept     int        `json:"kept,omitempty"`
		Held     int        `json:"held,omitempty"`
		Possible int        `json:"possible,omitempty"`
		Affected int        `json:"affected,omitempty"`
	}
	jsonScope struct {
		Scope   string `json:"scope"`
		Removed int    `json:"removed"`
	}
	jsonCost struct {
		Writes   int  `json:"writes,omitempty"`
		Reads    int  `json:"reads,omitempty"`
		Fences   int  `json:"fences,omitempty"`
		Handlers int  `json:"handlers,omitempty"`
		Varies   bool `json:"varies,omitempty"`
	}
	jsonVerdict struct {
		Root          jsonKey   `json:"root"`
		Guard         string    `json:"guard,omitempty"`
		Always        bool      `json:"always,omitempty"`
		Protected     []jsonKey `json:"protected,omitempty"`
		ProtectedMore int       `json:"protectedMore,omitempty"`

		Restricted     []jsonKey `json:"restricted,omitempty"`
		RestrictedMore int       `json:"restrictedMore,omitempty"`

		Ends    int  `json:"ends,omitempty"`
		Above   bool `json:"above,omitempty"`
		Limit   int  `json:"limit,omitempty"`
		Unknown bool `json:"unknown,omitempty"`
	}
	jsonAssumption struct {
		Type   string `json:"type"`
		Name   string `json:"name,omitempty"`
		Count  int    `json:"count,omitempty"`
		Detail string `json:"detail,omitempty"`
	}
)

// MarshalJSON returns the plan in its JSON form. The form is stable: a later version of
// this module reads the text of this version. A later version may add fields, which this
// version refuses.
//
//	{
//	  "schema": "plan/v1",           always there
//	  "request": {                   left out if zero, as every field without a remark
//	    "delete": [{
//	      "key": {                   always there
//	        "kind": "deploy",        always there in a key, as is name
//	        "scope": "shop",
//	        "name": "web",
//	        "uid": "8d12"
//	      },
//	      "propagation": "foreground"     as Propagation.String writes it
//	    }],
//	    "removed": ["example.org/x"],
//	    "failing": ["example.org/y"],
//	    "limit": 1000,               each number is 0 or more
//	    "refuseProtected": true
//	  },
//	  "objects": [{                  by key, each key once
//	    "key": {...},                always there, as is outcome
//	    "outcome": "held",           as Outcome.String writes it
//	    "possible": true,
//	    "root": true,
//	    "reason": "OwnerUnknown",    as Reason.Code writes it
//	    "doubt": "owner not observed",    as Doubt.String writes it
//	    "causes": ["example.org/x"],
//	    "owners": [{...}],           keys
//	    "holder": {...},             a key, as are container and parent
//	    "container": {...},
//	    "wave": 2,
//	    "phase": 2,
//	    "forward": true,
//	    "edges": [{"owner": {...}, "onDelete": "cascade"}],    both always there
//	    "parent": {...}
//	  }],
//	  "steps": [{                    step n is element n-1
//	    "actor": "engine",           always there, as are action and key
//	    "action": "delete",          as Action.String writes it
//	    "key": {...},
//	    "reason": "OwnersGone",
//	    "propagation": "background",
//	    "finalizer": "example.org/x",
//	    "handler": true,
//	    "owners": [{...}],
//	    "removes": true,
//	    "wave": 2,
//	    "after": [1],                sorted numbers of earlier steps, each once
//	    "afterMore": 3,
//	    "fence": true
//	  }],
//	  "truncated": 5,
//	  "stepsTruncated": 5,
//	  "totals": [{"kind": "pod",     always there
//	    "removed": 1, "orphaned": 1, "trimmed": 1, "kept": 1, "held": 1, "possible": 1, "affected": 5}],
//	  "scopes": [{"scope": "shop", "removed": 1}],    both always there
//	  "waves": 3,
//	  "cost": {"writes": 4, "reads": 2, "fences": 1, "handlers": 1, "varies": true},
//	  "verdicts": [{
//	    "root": {...},               always there
//	    "guard": "teams",
//	    "always": true,
//	    "protected": [{...}],        keys
//	    "protectedMore": 2,
//	    "ends": 120, "above": true, "limit": 100,
//	    "unknown": true
//	  }],
//	  "refusals": [{
//	    "target": {...},             always there
//	    "dependents": [{...}],       keys
//	    "more": 2
//	  }],
//	  "assumptions": [{
//	    "type": "handler succeeds",  always there, as AssumptionType.String writes it
//	    "name": "example.org/y", "count": 1, "detail": "..."
//	  }],
//	  "withoutBlocker": [{...}],     keys
//	  "bestEffort": true,
//	  "torn": true,
//	  "busy": true,
//	  "fingerprint": "9f86..."
//	}
//
// UnmarshalJSON reads every such plan back. A plan that breaks a remark above, or has text
// that is not UTF-8, has no JSON form. Then the error wraps graph.ErrInvalid and names the
// field.
//
//test:by TestJSON TestJSONWriteErrors TestJSONRoundTrip
func (p Plan) MarshalJSON() ([]byte, error) {
	if f := p.flaw(); f.cause != "" {
		return nil, fmt.Errorf("write plan: %s: %s: %w", f.field, f.cause, graph.ErrInvalid)
	}
	out := jsonPlan{
		Schema: Schema, Request: requestOut(&p.Request),
		Truncated: p.Truncated, StepsTruncated: p.StepsTruncated, Waves: p.Waves, Cost: jsonCost(p.Cost),
		WithoutBlocker: keysOut(p.WithoutBlocker), BestEffort: p.BestEffort, Torn: p.Torn, Busy: p.Busy, Fingerprint: p.Fingerprint,
	}
	out.Objects = make([]jsonObject, len(p.Objects))
	for i := range p.Objects {
		out.Objects[i] = objectOut(&p.Objects[i])
	}
	out.Steps = make([]jsonStep, len(p.Steps))
	for i := range p.Steps {
		out.Steps[i] = stepOut(&p.Steps[i])
	}
	for _, t := range p.Totals {
		out.Totals = append(out.Totals, jsonTotal(t))
	}
	for _, t := range p.Scopes {
		out.Scopes = append(out.Scopes, jsonScope(t))
	}
	for _, v := range p.Verdicts {
		out.Verdicts = append(out.Verdicts, jsonVerdict{
			jsonKey(v.Root), v.Guard, v.Always, keysOut(v.Protected), v.ProtectedMore, keysOut(v.Restricted), v.RestrictedMore, v.Ends, v.Above, v.Limit, v.Unknown,
		})
	}
	for _, r := range p.Refusals {
		out.Refusals = append(out.Refusals, jsonRefusal{jsonKey(r.Target), keysOut(r.Dependents), r.More})
	}
	for _, a := range p.Assumptions {
		out.Assumptions = append(out.Assumptions, jsonAssumption{a.Type.String(), a.Name, a.Count, a.Detail})
	}
	return json.Marshal(out)
}

func requestOut(r *Request) jsonRequest {
	out := jsonRequest{Removed: r.Removed, Failing: r.Failing, Limit: r.Limit, Strict: r.RefuseProtected}
	if len(out.Removed) == 0 {
		out.Removed = nil // an empty list is no content of a request
	}
	if len(out.Failing) == 0 {
		out.Failing = nil
	}
	for _, t := range r.Delete {
		out.Delete = append(out.Delete, jsonTarget{jsonKey(t.Key), set(t.Propagation)})
	}
	return out
}

func objectOut(o *Object) jsonObject {
	out := jsonObject{
		Key: jsonKey(o.Key), Outcome: o.Outcome.String(), Possible: o.Possible, Root: o.Root, Doubt: set(o.Doubt),
		Causes: o.Causes, Owners: keysOut(o.Owners), Holder: jsonKey(o.Holder), Container: jsonKey(o.Container), Wave: o.Wave, Phase: o.Phase, Forward: o.Forward, Parent: jsonKey(o.Parent),
	}
	if o.Reason != policy.ReasonUnset {
		out.Reason = o.Reason.Code()
	}
	for _, e := range o.Edges {
		out.Edges = append(out.Edges, jsonEdge{jsonKey(e.Owner), e.OnDelete.String()})
	}
	return out
}

func stepOut(s *Step) jsonStep {
	out := jsonStep{
		Actor: s.Actor.String(), Action: s.Action.String(), Key: jsonKey(s.Key), Propagation: set(s.Propagation),
		Finalizer: s.Finalizer, Handler: s.Handler, Owners: keysOut(s.Owners), Removes: s.Removes, Wave: s.Wave,
		After: s.After, AfterMore: s.AfterMore, Fence: s.Fence,
	}
	if s.Reason != policy.ReasonUnset {
		out.Reason = s.Reason.Code()
	}
	return out
}

func keysOut(list []graph.Key) (out []jsonKey) {
	for _, k := range list {
		out = append(out, jsonKey(k))
	}
	return out
}

// set returns the name of a value, and "" for the zero value, which JSON leaves out.
func set[T enum](v T) string {
	if v == 0 {
		return ""
	}
	return v.String()
}
