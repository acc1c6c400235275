package etcdstore

import "sync"

// knowns has the state of each object of a kind that a watch has reported, by its key. The
// watch needs it for the UID of a removed object. Other goroutines only read it.
type knowns struct {
	mu   sync.RWMutex
	keys map[string]known
}

func (t *knowns) get(key string) (known, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	k, ok := t.keys[key]
	return k, ok
}

func (t *knowns) set(key string, k known) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.keys == nil {
		t.keys = map[string]known{}
	}
	t.keys[key] = k
}

func (t *knowns) remove(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.keys, key)
}

// all returns the table of a watch that is over.
func (t *knowns) all() map[string]known {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.keys
}

func (t *knowns) replace(keys map[string]known) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keys = keys
}
