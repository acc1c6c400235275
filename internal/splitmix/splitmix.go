// Package splitmix has the numbers of SplitMix64 (Steele, Lea and Flood: Fast splittable pseudorandom
// number generators, 2014). They spread hashes and delays, and keep no secret.
package splitmix

// Step is the distance of two states of the generator.
const Step = 0x9e3779b97f4a7c15

// Mix spreads a word over 64 bits. It is the output of the generator at a state, and a permutation of
// all words.
//
//test:by TestMix
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
