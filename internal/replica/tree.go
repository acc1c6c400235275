package replica

import "iter"

// tree is an ordered immutable map. put and remove return a new tree that shares all
// but one path with the old tree. So a snapshot is a pointer, a listing needs no lock
// while it runs, and Clone takes constant time.
//
// It is an AVL tree, at most 1.45 log2(n) deep, so recursion is shallow for any keys.
//
//test:by TestTree
type tree[K, V any] struct {
	compare func(a, b K) int
	root    *branch[K, V]
}

type branch[K, V any] struct {
	key         K
	value       V
	left, right *branch[K, V]
	height      int
}

func (t tree[K, V]) get(key K) (V, bool) {
	for b := t.root; b != nil; {
		switch c := t.compare(key, b.key); {
		case c == 0:
			return b.value, true
		case c < 0:
			b = b.left
		default:
			b = b.right
		}
	}
	var none V
	return none, false
}

func (t tree[K, V]) put(key K, value V) tree[K, V] {
	return tree[K, V]{t.compare, t.insert(t.root, key, value)}
}

func (t tree[K, V]) remove(key K) tree[K, V] {
	return tree[K, V]{t.compare, t.cut(t.root, key)}
}

// change returns the tree with each value replaced, in order of the keys.
func (t tree[K, V]) change(replace func(V) V) tree[K, V] {
	return tree[K, V]{t.compare, t.root.change(replace)}
}

// all yields the entries in the order of their keys.
func (t tree[K, V]) all() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { t.root.walk(yield) }
}

// after yields the entries after a key, in order.
func (t tree[K, V]) after(key K) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { t.walkAfter(t.root, key, yield) }
}

func (t tree[K, V]) walkAfter(b *branch[K, V], key K, yield func(K, V) bool) bool {
	switch {
	case b == nil:
		return true
	case t.compare(b.key, key) <= 0:
		return t.walkAfter(b.right, key, yield)
	}
	return t.walkAfter(b.left, key, yield) && yield(b.key, b.value) && b.right.walk(yield)
}

func (t tree[K, V]) insert(b *branch[K, V], key K, value V) *branch[K, V] {
	if b == nil {
		return join(key, value, nil, nil)
	}
	switch c := t.compare(key, b.key); {
	case c == 0:
		return join(key, value, b.left, b.right)
	case c < 0:
		return balance(b.key, b.value, t.insert(b.left, key, value), b.right)
	}
	return balance(b.key, b.value, b.left, t.insert(b.right, key, value))
}

func (t tree[K, V]) cut(b *branch[K, V], key K) *branch[K, V] {
	if b == nil {
		return nil
	}
	switch c := t.compare(key, b.key); {
	case c < 0:
		return balance(b.key, b.value, t.cut(b.left, key), b.right)
	case c > 0:
		return balance(b.key, b.value, b.left, t.cut(b.right, key))
	case b.left == nil:
		return b.right
	case b.right == nil:
		return b.left
	}
	next := b.right
	for next.left != nil {
		next = next.left
	}
	return balance(next.key, next.value, b.left, t.cut(b.right, next.key))
}

func (b *branch[K, V]) walk(yield func(K, V) bool) bool {
	return b == nil || b.left.walk(yield) && yield(b.key, b.value) && b.right.walk(yield)
}

func (b *branch[K, V]) change(replace func(V) V) *branch[K, V] {
	if b == nil {
		return nil
	}
	left := b.left.change(replace)
	value := replace(b.value)
	return &branch[K, V]{b.key, value, left, b.right.change(replace), b.height}
}

func (b *branch[K, V]) tall() int {
	if b == nil {
		return 0
	}
	return b.height
}

func join[K, V any](key K, value V, left, right *branch[K, V]) *branch[K, V] {
	return &branch[K, V]{key, value, left, right, 1 + max(left.tall(), right.tall())}
}

// balance joins two trees whose heights differ by at most two.
func balance[K, V any](key K, value V, left, right *branch[K, V]) *branch[K, V] {
	switch l, r := left.tall(), right.tall(); {
	case l > r+1 && left.left.tall() >= left.right.tall():
		return join(left.key, left.value, left.left, join(key, value, left.right, right))
	case l > r+1:
		m := left.right
		return join(m.key, m.value, join(left.key, left.value, left.left, m.left), join(key, value, m.right, right))
	case r > l+1 && right.right.tall() >= right.left.tall():
		return join(right.key, right.value, join(key, value, left, right.left), right.right)
	case r > l+1:
		m := right.left
		return join(m.key, m.value, join(key, value, left, m.left), join(right.key, right.value, m.right, right.right))
	}
	return join(key, value, left, right)
}
