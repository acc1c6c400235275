package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// ended answers a write that was done with an error, if its context has ended meanwhile.
type ended func(ctx context.Context, verb string, err error) error

// asError answers with the error.
func asError(by error) ended {
	return func(ctx context.Context, verb string, err error) error {
		if err == nil && ctx.Err() != nil {
			return fmt.Errorf("%s: %w", verb, by)
		}
		return err
	}
}

// answeredLate looks at the context before each write of the store and after it. The write
// does not depend on the context in between.
func answeredLate(late ended) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		sound := s.Store
		run := func(ctx context.Context, verb string, call func(context.Context) error) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return late(ctx, verb, call(context.WithoutCancel(ctx)))
		}
		s.Store = &wrapper{Store: sound,
			patch: func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
				return run(ctx, "patch", func(ctx context.Context) error { return sound.Patch(ctx, key, pre, c) })
			},
			delete: func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
				return run(ctx, "delete", func(ctx context.Context) error { return sound.Delete(ctx, key, opts) })
			},
		}
		return s
	}
}

// answeredLateToUsers is answeredLate for the client.
func answeredLateToUsers(by error) func(TB, Subject) Subject {
	return withUsers(func(u *wrappedClient) {
		late := asError(by)
		u.create = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
			if err := ctx.Err(); err != nil {
				return o, err
			}
			o, err := u.Client.Create(context.WithoutCancel(ctx), o)
			return o, late(ctx, "create", err)
		}
		u.update = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
			if err := ctx.Err(); err != nil {
				return o, err
			}
			o, err := u.Client.Update(context.WithoutCancel(ctx), o)
			return o, late(ctx, "update", err)
		}
	})
}

// comesLater is an error that asks to try again.
type comesLater struct{}

func (comesLater) Error() string             { return "try again" }
func (comesLater) RetryAfter() time.Duration { return time.Second }

// waitingForAnswer writes on a goroutine of its own, and waits for its answer or for the
// end of the context. The answer takes time.
func waitingForAnswer(by error) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject {
		var answers sync.WaitGroup
		tb.Cleanup(answers.Wait)
		return patching(func(sound ownergraph.Store) patchFunc {
			return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
				if err := ctx.Err(); err != nil {
					return err
				}
				ctx, cancel := context.WithTimeout(ctx, time.Hour) // so that the caller's context is not looked at
				defer cancel()
				done := make(chan error, 1)
				answers.Go(func() {
					err := sound.Patch(context.WithoutCancel(ctx), key, pre, c)
					<-time.After(time.Millisecond)
					done <- err
				})
				select {
				case err := <-done:
					return err
				case <-ctx.Done():
					if key.Name == "a" { // of other laws, which end the context at once
						return <-done
					}
					return fmt.Errorf("patch %s: %w", key, by)
				}
			}
		})(tb, s)
	}
}

// deadlinesFind answers a deadline as absence, and a cancelled context as it is.
func deadlinesFind(ctx context.Context, verb string, err error) error {
	if err == nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", verb, graph.ErrNotFound)
	}
	return err
}

// mutantsOfEnds are stores that answer wrongly if a context ends during the call.
func mutantsOfEnds() []mutant {
	return []mutant{
		{name: "a write that was done is not found", law: cancelAnswer, reason: "the row count is no longer known, and counts as 0", plant: answeredLate(asError(graph.ErrNotFound))},
		{name: "a write that was done is in conflict", law: cancelAnswer, reason: "a transaction without an answer counts as rolled back", plant: answeredLate(asError(graph.ErrConflict))},
		{name: "a write that was done is refused", law: cancelAnswer, reason: "every error of the last step is the server's", plant: answeredLate(asError(graph.ErrRefused))},
		{name: "a write that was done comes again", law: cancelAnswer, reason: "every timeout asks to try again", plant: answeredLate(asError(comesLater{}))},
		{name: "a write whose deadline passed is not found", law: cancelAnswer, reason: "a timeout that is told apart from a cancellation", plant: answeredLate(deadlinesFind)},
		{name: "a write of unknown outcome is not found", law: cancelAnswer, reason: "the caller waits for the answer or for its context", plant: waitingForAnswer(graph.ErrNotFound)},
		{name: "a user's write that was done is in conflict", law: cancelAnswer, reason: "it is tried again", plant: answeredLateToUsers(graph.ErrConflict)},
		{name: "a read that breaks off finds nothing", law: "cancel/read", reason: "no rows came back", plant: func(_ TB, s Subject) Subject {
			sound := s.Store
			s.Store = &wrapper{Store: sound, get: func(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
				if err := ctx.Err(); err != nil {
					return ownergraph.Object{}, err
				}
				o, err := sound.Get(context.WithoutCancel(ctx), key)
				return o, asError(graph.ErrNotFound)(ctx, "get", err)
			}}
			return s
		}},
		{name: "a selection that breaks off is shorter", law: "cancel/select", reason: "the loop over the rows ends, and its error is not looked at", plant: chosen(func(_ Subject, sound selectFunc) selectFunc {
			return func(ctx context.Context, q ownergraph.SelectRequest) (ownergraph.SelectPage, error) {
				if err := ctx.Err(); err != nil {
					return ownergraph.SelectPage{}, err
				}
				page, err := sound(context.WithoutCancel(ctx), q)
				if err == nil && ctx.Err() != nil {
					page = ownergraph.SelectPage{Objects: page.Objects[:len(page.Objects)/2]}
				}
				return page, err
			}
		})},
		{name: "a listing that breaks off ends", law: "cancel/listing", reason: "the loop over the rows ends, and its error is not looked at", plant: brokenListings},
		{name: "a fence that breaks off has a token", law: "cancel/fence", reason: "the token is drawn before the write", plant: fencesWithoutWrite},
	}
}

// brokenListings ends a listing early if the context has ended.
func brokenListings(_ TB, s Subject) Subject {
	sound := s.Store
	s.Store = &wrapper{Store: sound, watch: func(ctx context.Context, sink func([]ownergraph.Event) error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		in := newListings()
		inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer context.AfterFunc(ctx, cancel)()
		return watchEach(inner, sound, func(e ownergraph.Event) error {
			in.applyEvent(e)
			if e.Type == graph.Put && in.now[e.Object.Kind] && ctx.Err() != nil {
				return errors.Join(sink([]ownergraph.Event{{Type: graph.ListEnded, Kind: e.Object.Kind}}), ctx.Err())
			}
			return sink([]ownergraph.Event{e})
		})
	}}
	return s
}

// fencesWithoutWrite returns a token that no watch passes, if the context has ended.
func fencesWithoutWrite(_ TB, s Subject) Subject {
	fencer := s.Store.(ownergraph.Fencer)
	s.Store = &fencing{Store: s.Store, fence: func(ctx context.Context) (uint64, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if ctx.Err() != nil {
			return 1 << 60, nil
		}
		return fencer.Fence(ctx)
	}}
	return s
}
