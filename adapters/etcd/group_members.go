package etcdstore

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ownergraph/ownergraph/group"
)

// firstSeen is the newest revision of a member's key, and the time at which this process saw it
// first. No clock of another machine counts.
type firstSeen struct {
	revision int64
	at       time.Time
}

// groupAnswer is the answer to a transaction: the members' keys at one revision.
type groupAnswer struct {
	done     bool             // the member's key is written
	own      *mvccpb.KeyValue // of the member, if it is not written
	all      []*mvccpb.KeyValue
	revision int64
	begun    time.Time // before the request
}

// memberValue is the value of a member's key, in JSON.
type memberValue struct {
	Instance string `json:"instance"`
}

// key returns the key of a name. A name with other bytes than A-Z a-z 0-9 . _ - is a quoted Go
// string in ASCII. So no two names have one key.
func (g *Group) key(name string) string { return g.prefix + quotedName(name) }

func quotedName(name string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-'
	}
	if strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0 {
		return name
	}
	return strconv.QuoteToASCII(name)
}

// memberOf reads a key and its value. It reports false for a key that no member has. The instance
// is empty if another program has written the value.
func (g *Group) memberOf(kv *mvccpb.KeyValue) (m group.Member, ok bool) {
	text := strings.TrimPrefix(string(kv.Key), g.prefix)
	m.Name = text
	if strings.HasPrefix(text, `"`) {
		m.Name, _ = strconv.Unquote(text)
	}
	m.Instance = "unknown"
	if quotedName(m.Name) != text || group.ValidateMember(m) != nil {
		return group.Member{}, false
	}
	var v memberValue
	if m.Instance = ""; json.Unmarshal(kv.Value, &v) == nil {
		m.Instance = v.Instance
	}
	if group.ValidateMember(m) != nil {
		m.Instance = ""
	}
	return m, true
}

// members is the read of all keys. One more than the most shows that there are more.
func (g *Group) members() clientv3.Op {
	return clientv3.OpGet(g.prefix, clientv3.WithPrefix(), clientv3.WithLimit(group.MaxMembers+1))
}

// read returns the key of a name, and all keys.
func (g *Group) read(ctx context.Context, name string) (groupAnswer, error) {
	begun := time.Now()
	r, err := g.kv.Txn(ctx).Then(clientv3.OpGet(g.key(name)), g.members()).Commit()
	if err != nil {
		return groupAnswer{}, refusal(err)
	}
	return g.answer(begun, r, false), nil
}

// write puts a member's key under a lease on a condition, and returns all keys. A put renews the
// revision, by which the others see the age.
func (g *Group) write(ctx context.Context, self group.Member, id clientv3.LeaseID, condition clientv3.Cmp) (groupAnswer, error) {
	value, err := json.Marshal(memberValue{self.Instance})
	if err != nil {
		return groupAnswer{}, err
	}
	key, begun := g.key(self.Name), time.Now()
	r, err := g.kv.Txn(ctx).If(condition).
		Then(clientv3.OpPut(key, string(value), clientv3.WithLease(id)), g.members()).
		Else(clientv3.OpGet(key), g.members()).Commit()
	if err != nil {
		return groupAnswer{}, refusal(err)
	}
	return g.answer(begun, r, r.Succeeded), nil
}

func (g *Group) answer(begun time.Time, r *clientv3.TxnResponse, done bool) groupAnswer {
	now := groupAnswer{done: done, begun: begun, revision: r.Header.GetRevision(), all: r.Responses[1].GetResponseRange().GetKvs()}
	if !done {
		now.own = only(r.Responses[0].GetResponseRange().GetKvs())
	}
	g.note(now)
	return now
}

// note keeps the times at which the revisions of an answer were seen first. An answer that
// another one has overtaken says nothing new. A lower revision in the answer to a later request
// is that of an older copy of the data, with which all begins anew.
func (g *Group) note(now groupAnswer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.revision < g.revision && now.begun.Before(g.noted) {
		return
	}
	next, at := make(map[string]firstSeen, len(now.all)), time.Now()
	for _, kv := range append([]*mvccpb.KeyValue{now.own}, now.all...) {
		if kv == nil {
			continue
		}
		key := string(kv.Key)
		next[key] = firstSeen{kv.ModRevision, at}
		if was := g.seen[key]; was.revision == kv.ModRevision {
			next[key] = was
		}
	}
	g.seen, g.revision, g.noted = next, now.revision, at
}

// age returns the time for which this process has seen no renewal of a key.
func (g *Group) age(kv *mvccpb.KeyValue) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	was, ok := g.seen[string(kv.Key)]
	if !ok {
		return 0
	}
	return time.Since(was.at)
}

// holds reports whether a key stands for a lease in force. A key without a lease, or with a
// longer one than any member has, is of another writer. It must not hold a part for ever.
func (g *Group) holds(kv *mvccpb.KeyValue) bool {
	return kv != nil && kv.Lease != 0 && g.age(kv) <= group.MaxLease
}

// isTaken reports whether another instance has the key of a member.
func (g *Group) isTaken(kv *mvccpb.KeyValue, self group.Member) bool {
	return g.holds(kv) && !g.isOf(kv, self)
}

// isOf reports whether a key is of this instance.
func (g *Group) isOf(kv *mvccpb.KeyValue, self group.Member) bool {
	if kv == nil {
		return false
	}
	m, ok := g.memberOf(kv)
	return ok && m == self
}

// inForce returns the members of an answer.
func (g *Group) inForce(now groupAnswer) []group.Member {
	list := make([]group.Member, 0, len(now.all))
	for _, kv := range now.all {
		if m, ok := g.memberOf(kv); ok && g.holds(kv) {
			m.Age = g.age(kv)
			list = append(list, m)
		}
	}
	return list
}
