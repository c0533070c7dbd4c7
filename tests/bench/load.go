// The load of a Go program: eight goroutines that sort and allocate, the same work each time.
package main

import (
	"sort"
	"sync"
)

func fill(n int, x uint64) []uint64 {
	v := make([]uint64, n)
	for i := range v {
		x = x*6364136223846793005 + 1
		v[i] = x
	}
	return v
}

func work(rounds int) {
	for r := 0; r < rounds; r++ {
		v := fill(20000, uint64(r))
		sort.Slice(v, func(i, j int) bool { return v[i] < v[j] })
	}
}

func main() {
	var wait sync.WaitGroup
	for i := 0; i < 8; i++ {
		wait.Add(1)
		go func() {
			work(40)
			wait.Done()
		}()
	}
	wait.Wait()
}
