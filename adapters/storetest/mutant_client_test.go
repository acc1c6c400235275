package storetest

import (
	"context"

	"github.com/ownergraph/ownergraph"
)

// mutantsOfClients are mistakes in the Client that a user of the kit writes.
func mutantsOfClients() []mutant {
	return []mutant{
		{name: "create returns its argument", law: clientCreate, reason: "the store makes UID and version", plant: withUsers(func(u *wrappedClient) {
			u.create = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
				_, err := u.Client.Create(ctx, o)
				return o, err
			}
		})},
		{name: "update ignores the version", law: clientUpdate, reason: "an update by name", plant: withUsers(func(u *wrappedClient) {
			u.update = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
				o.Version = ""
				return u.Client.Update(ctx, o)
			}
		})},
		{name: "users' deletes do nothing", law: clientDelete, reason: "it is not written yet", plant: withUsers(func(u *wrappedClient) {
			u.delete = func(context.Context, ownergraph.Key, ownergraph.DeleteOptions) error { return nil }
		})},
	}
}

func withUsers(plant func(*wrappedClient)) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		u := &wrappedClient{Client: s.Client}
		plant(u)
		s.Client = u
		return s
	}
}
