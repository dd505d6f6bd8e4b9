/* Quickselect: the part that holds the k-th is parted again. */
#include "compute/numbers/median.h"

void median_select(double *x, size_t count, size_t k)
{
	size_t low = 0, high = count - 1;

	while (low < high) {
		double pivot = x[low + (high - low) / 2], swap;
		size_t i = low, j = high;

		for (;;) {
			while (x[i] < pivot)
				i++;
			while (x[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap = x[i];
			x[i++] = x[j];
			x[j--] = swap;
		}
		/* Before i nothing is larger than the pivot, behind j nothing smaller. */
		if (k < i)
			high = i - 1;
		else if (k > j)
			low = j + 1;
		else
			return;
	}
}

double median_of(double *x, size_t count)
{
	size_t k = count / 2;
	double below;

	median_select(x, count, k);
	if (count % 2)
		return x[k];
	below = x[0];
	for (size_t i = 1; i < k; i++)
		below = x[i] > below ? x[i] : below;
	return median_between(below, x[k]);
}
