// The load of a Java program: four threads that sort and allocate, the same work each time.
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

public class Load {
	static List<Long> fill(int n, long x) {
		List<Long> v = new ArrayList<>();
		for (int i = 0; i < n; i++) {
			x = x * 6364136223846793005L + 1;
			v.add(x);
		}
		return v;
	}

	static void work(int rounds) {
		for (int r = 0; r < rounds; r++)
			Collections.sort(fill(20000, r));
	}

	public static void main(String[] args) throws Exception {
		Thread[] all = new Thread[4];
		for (int i = 0; i < all.length; i++) {
			all[i] = new Thread(() -> work(30));
			all[i].start();
		}
		for (Thread t : all)
			t.join();
	}
}
