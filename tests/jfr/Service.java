// SPDX-License-Identifier: Apache-2.0
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.Deflater;

/**
 * A small service under load by itself, for capture.sh: Service SECONDS ROUNDS [virtual]
 *
 * <p>It computes, allocates, waits for two kinds of lock, sleeps, waits for work and runs native code, so that a
 * recording has events of every kind. ROUNDS is how often roundPrice goes over a price: what a canary plants.
 */
public final class Service {
    private final Map<String, Long> ledger = new HashMap<>();
    private final ReentrantLock stockLock = new ReentrantLock();
    private final List<byte[]> held = Collections.synchronizedList(new ArrayList<>());
    private final LinkedBlockingQueue<String> mail = new LinkedBlockingQueue<>();
    private final int rounds;
    private long stock;

    private Service(int rounds) {
        this.rounds = rounds;
    }

    private double roundPrice(double price) {
        double rounded = price;
        for (int i = 0; i < rounds; i++) {
            rounded = (rounded * 1.0001 + 0.004) / (1.0 + rounded * 1e-9);
        }
        return rounded;
    }

    private List<String> sortOrders(int request) {
        List<String> orders = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            orders.add((request + i * 7919) % 100000 + " größe-" + i);
        }
        orders.sort((a, b) -> a.compareTo(b));
        return orders;
    }

    private void book(String order, long amount) {
        synchronized (ledger) {
            for (int i = 0; i < 50; i++) {
                ledger.merge(order.substring(0, 1), amount + i, Long::sum);
            }
        }
    }

    private void takeStock(List<String> orders) {
        stockLock.lock();
        try {
            for (String order : orders) {
                stock += order.hashCode() % 7;
            }
        } finally {
            stockLock.unlock();
        }
    }

    private int pack(List<String> orders) {
        Deflater deflater = new Deflater(9);
        deflater.setInput(String.join(",", orders).getBytes(StandardCharsets.UTF_8));
        deflater.finish();
        byte[] packed = new byte[1 << 16];
        int length = deflater.deflate(packed);
        deflater.end();
        return length;
    }

    private void handleRequest(int request) {
        List<String> orders = sortOrders(request);
        double total = 0;
        for (int i = 0; i < 400; i++) {
            total += roundPrice(100.0 + i % 97);
        }
        book(orders.get(0), (long) total);
        takeStock(orders);
        if (request % 8 == 0) {
            mail.add("packed " + pack(orders));
            held.add(new byte[4096]);
        }
    }

    private void serve(int first, long until) {
        int request = first;
        while (System.nanoTime() < until) {
            handleRequest(request++);
        }
    }

    private void sendMail() {
        try {
            while (mail.poll(300, TimeUnit.MILLISECONDS) != null) {
                Thread.sleep(2);
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** Virtual threads exist from JDK 21 on; this file compiles with 17. */
    private static ExecutorService threads(boolean isVirtual) throws Exception {
        if (!isVirtual) {
            return Executors.newFixedThreadPool(4);
        }
        Method method = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
        return (ExecutorService) method.invoke(null);
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 2) {
            System.err.println("usage: Service SECONDS ROUNDS [virtual]");
            System.exit(2);
        }
        long until = System.nanoTime() + (long) (Double.parseDouble(arguments[0]) * 1e9);
        Service service = new Service(Integer.parseInt(arguments[1]));
        ExecutorService pool = threads(arguments.length > 2);
        for (int i = 0; i < 4; i++) {
            int first = i * 1000;
            pool.submit(() -> service.serve(first, until));
        }
        Thread mailer = new Thread(service::sendMail, "mailer");
        mailer.start();
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.HOURS);
        mailer.join();
        System.err.println(service.stock + " in stock, " + service.held.size() + " parcels");
    }
}
