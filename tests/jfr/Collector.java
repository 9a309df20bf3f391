// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.Recording;

/**
 * A service with an even load and much live memory, for capture.sh: Collector REQUESTS-PER-SECOND SECONDS FILE COPIES
 *
 * <p>COPIES is how often audit copies a page: what a canary plants. With a small heap, or with many copies, the collector uses more CPU time than the program. The flight recorder takes no sample of it;
 * the load of the process and the time of each collection are events of their own. Only what pprofgate reads is
 * recorded, so that the file is small.
 */
public final class Collector {
    private static final int ORDERS = 400_000;
    private static final int MILLIS = 1000;
    private static volatile int sink;
    private final Map<Integer, String> ledger = new HashMap<>();
    private final byte[][] log = new byte[512][];
    private final int copies;

    private Collector(int copies) {
        this.copies = copies;
    }

    private int render(int request) {
        StringBuilder page = new StringBuilder();
        for (int i = 0; i < 1500; i++) {
            page.append("<li>").append(request + i).append("</li>");
        }
        return page.length();
    }

    private int audit(int request) {
        for (int i = 0; i < copies; i++) {
            log[(request + i) % log.length] = new byte[20_000];
        }
        return log.length;
    }

    private int score(int request) {
        int score = request;
        for (int i = 0; i < 400_000; i++) {
            score = score * 31 + (i ^ score >>> 3);
        }
        return score;
    }

    private void book(int request) {
        for (int i = 0; i < 20; i++) {
            ledger.put((request * 20 + i) % ORDERS, "order " + request);
        }
    }

    private void handle(int request) {
        book(request);
        sink += render(request) + score(request) + audit(request);
    }

    private static Recording start() {
        Recording recording = new Recording();
        for (String event : List.of("jdk.ExecutionSample", "jdk.NativeMethodSample", "jdk.CPULoad")) {
            recording.enable(event).withPeriod(Duration.ofMillis(event.endsWith("Load") ? MILLIS : 10));
        }
        for (String event : List.of("jdk.CPUInformation", "jdk.GarbageCollection", "jdk.GCCPUTime", "jdk.ActiveSetting",
                "jdk.BooleanFlag", "jdk.ObjectAllocationSample")) {
            recording.enable(event);
        }
        recording.start();
        return recording;
    }

    public static void main(String[] words) throws Exception {
        int perSecond = Integer.parseInt(words[0]);
        int requests = perSecond * Integer.parseInt(words[1]);
        Collector service = new Collector(Integer.parseInt(words[3]));
        for (int i = 0; i < ORDERS; i++) {
            service.ledger.put(i, "order " + i);
        }
        for (int i = 0; i < 2000; i++) {
            service.handle(i);
        }
        Recording recording = start();
        long begin = System.nanoTime();
        for (int i = 0; i < requests; i++) {
            long wait = begin / 1_000_000 + (long) i * MILLIS / perSecond - System.nanoTime() / 1_000_000;
            if (wait > 0) {
                Thread.sleep(wait);
            }
            service.handle(i);
        }
        recording.stop();
        recording.dump(Path.of(words[2]));
        System.exit(0);
    }
}
