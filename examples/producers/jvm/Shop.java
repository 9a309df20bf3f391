// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A small shop under load by itself, for capture.sh: Shop SECONDS ROUNDS
 *
 * <p>ROUNDS is how often roundPrice goes over a price: what a canary plants.
 */
public final class Shop {
    record Item(String name, double price, List<String> tags) {}

    private final List<Item> items = new ArrayList<>();
    private final int rounds;

    private Shop(int rounds) {
        this.rounds = rounds;
        for (int i = 0; i < 400; i++) {
            List<String> tags = List.of("a" + i % 13, "b" + i % 17);
            items.add(new Item("item " + i * 7919 % 400 + " of the shop", 100.0 + i % 97, tags));
        }
    }

    private double roundPrice(double price) {
        double rounded = price;
        for (int i = 0; i < rounds; i++) {
            rounded = (rounded * 1.0001 + 0.004) / (1.0 + rounded * 1e-9);
        }
        return rounded;
    }

    private double totalOf(List<Item> basket) {
        double total = 0;
        for (Item item : basket) {
            total += roundPrice(item.price());
        }
        return total;
    }

    private List<Item> searchItems(String word) {
        Pattern pattern = Pattern.compile("(?:^| )" + word + "(?: |$)");
        return items.stream()
                .filter(item -> item.tags().contains(word) || pattern.matcher(item.name()).find())
                .toList();
    }

    private List<Item> sortItems(List<Item> found) {
        List<Item> sorted = new ArrayList<>(found);
        sorted.sort(Comparator.comparing(Item::name));
        return sorted;
    }

    private String encodeReply(List<Item> found, double total) {
        StringBuilder reply = new StringBuilder("{\"total\":").append(total).append(",\"items\":[");
        for (Item item : found) {
            reply.append("{\"name\":\"").append(item.name()).append("\",\"price\":").append(item.price()).append("},");
        }
        return reply.append("]}").toString();
    }

    private byte[] checksum(String text) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    }

    private int countWords(String reply) {
        Map<String, Integer> words = new HashMap<>();
        int start = 0;
        for (int i = 0; i <= reply.length(); i++) {
            if (i == reply.length() || !Character.isLetterOrDigit(reply.charAt(i))) {
                words.merge(reply.substring(start, i), 1, Integer::sum);
                start = i + 1;
            }
        }
        return words.size();
    }

    private int handleRequest(int number) throws Exception {
        List<Item> found = sortItems(searchItems(number % 3 == 0 ? "a" + number % 13 : "item"));
        String reply = encodeReply(found, totalOf(items));
        return checksum(reply)[0] + countWords(reply);
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 2) {
            System.err.println("usage: Shop SECONDS ROUNDS");
            System.exit(2);
        }
        long until = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L;
        Shop shop = new Shop(Integer.parseInt(arguments[1]));
        int number = 0;
        while (System.nanoTime() < until) {
            shop.handleRequest(number++);
        }
        System.err.println(number + " requests");
    }
}
