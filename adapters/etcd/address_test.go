package etcdstore

// EtcdAddress returns the address of the etcd of this test binary.
func EtcdAddress() (string, error) { return address(false) }
