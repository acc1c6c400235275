package storetest

import (
	"context"

	"github.com/ownergraph/ownergraph"
)

// mutantsOfClients are mistakes in what a user of the kit writes beside the
// store.
func mutantsOfClients() []mutant {
	return []mutant{
		{name: "create returns what it was given", law: clientCreate, reason: "UID and version are the store's to make", spoil: withUsers(func(u *users) {
			u.create = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
				_, err := u.Client.Create(ctx, o)
				return o, err
			}
		})},
		{name: "update ignores the version", law: clientUpdate, reason: "an update by name", spoil: withUsers(func(u *users) {
			u.update = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
				o.Version = ""
				return u.Client.Update(ctx, o)
			}
		})},
		{name: "users' deletes do nothing", law: clientDelete, reason: "it is not written yet", spoil: withUsers(func(u *users) {
			u.delete = func(context.Context, ownergraph.Key, ownergraph.DeleteOptions) error { return nil }
		})},
	}
}

func withUsers(spoil func(*users)) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		u := &users{Client: s.Client}
		spoil(u)
		s.Client = u
		return s
	}
}
