package replica

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestTree: after any puts and removals, the tree has the entries of a map, in order,
// and is balanced. Earlier trees do not change.
func TestTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := tree[int, int]{compare: cmp.Compare[int]}
		model := map[int]int{}
		var trees []tree[int, int]
		var models []map[int]int
		for i := range rapid.IntRange(0, 60).Draw(t, "steps") {
			key := rapid.IntRange(0, 40).Draw(t, "key")
			if rapid.IntRange(0, 2).Draw(t, "remove") == 0 {
				now = now.remove(key)
				delete(model, key)
			} else {
				now = now.put(key, i)
				model[key] = i
			}
			trees, models = append(trees, now), append(models, maps.Clone(model))
		}
		changed, n := maps.Clone(model), 0
		for _, key := range slices.Sorted(maps.Keys(changed)) {
			changed[key], n = n, n+1
		}
		n = 0
		checkTree(t, now.change(func(int) int { n++; return n - 1 }), changed)
		for i := range trees {
			checkTree(t, trees[i], models[i])
		}
	})
}

func checkTree(t *rapid.T, got tree[int, int], want map[int]int) {
	var keys []int
	for key, value := range got.all() {
		if value != want[key] {
			t.Fatalf("%d has %d, want %d", key, value, want[key])
		}
		keys = append(keys, key)
	}
	if !slices.Equal(keys, slices.Sorted(maps.Keys(want))) {
		t.Fatalf("keys %d, want those of %v in order", keys, want)
	}
	for key := range 41 {
		value, ok := got.get(key)
		if wanted, has := want[key]; ok != has || value != wanted {
			t.Fatalf("get(%d) = %d, %t, want %d, %t", key, value, ok, wanted, has)
		}
	}
	checkBalance(t, got.root)
}

func checkBalance(t *rapid.T, b *branch[int, int]) {
	if b == nil {
		return
	}
	l, r := b.left.tall(), b.right.tall()
	if max(l, r)-min(l, r) > 1 || b.height != 1+max(l, r) {
		t.Fatalf("at %d: height %d over %d and %d", b.key, b.height, l, r)
	}
	checkBalance(t, b.left)
	checkBalance(t, b.right)
}

// TestTreeStopsEarly: a loop that ends early gets no further entries.
func TestTreeStopsEarly(t *testing.T) {
	all := tree[int, int]{compare: cmp.Compare[int]}
	for i := range 100 {
		all = all.put(i, i)
	}
	seen := 0
	for range all.all() {
		if seen++; seen == 42 {
			break
		}
	}
	if seen != 42 {
		t.Errorf("saw %d entries, want 42", seen)
	}
}
